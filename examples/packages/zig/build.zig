//! biostream in a Zig project, of version 0.15 or later, with a copy of the repository in a folder of yours. In build.zig.zon:
//!
//!     .dependencies = .{ .biostream = .{ .path = "biostream/examples/packages/zig" } },
//!
//! and in build.zig:
//!
//!     const biostream = b.dependency("biostream", .{ .target = target, .optimize = .ReleaseFast });
//!     exe.root_module.linkLibrary(biostream.artifact("biostream"));
//!
//! then @cImport(@cInclude("biostream.h")), without BIOSTREAM_IMPLEMENTATION.
const std = @import("std");

pub fn build(b: *std.Build) void {
    const module = b.createModule(.{
        .target = b.standardTargetOptions(.{}),
        .optimize = b.standardOptimizeOption(.{}),
        .link_libc = true,
    });
    // Zig's own checks of undefined behaviour are for its debug builds; make sanitize is where they are held.
    module.addCSourceFiles(.{
        .root = b.path("../../cmake"),
        .files = &.{ "biostream.c", "biostream_cuda.c", "layout.c" },
        .flags = &.{ "-std=gnu99", "-fno-sanitize=undefined" },
    });
    const library = b.addLibrary(.{ .name = "biostream", .root_module = module });
    for ([_][]const u8{ "biostream.h", "biostream_cuda.h" }) |name| {
        library.installHeader(b.path(b.fmt("../../../{s}", .{name})), name);
    }
    b.installArtifact(library);
}
