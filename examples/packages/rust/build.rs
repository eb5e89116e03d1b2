//! Compiles the library by CC, else cc, and packs it by AR, else ar.
use std::env::{var, var_os};
use std::path::PathBuf;
use std::process::Command;

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(status.success(), "{command:?}: {status}");
}

fn main() {
    let tree = PathBuf::from(var_os("CARGO_MANIFEST_DIR").unwrap()).join("../../..");
    let out = PathBuf::from(var_os("OUT_DIR").unwrap());
    let level = format!("-O{}", if var("OPT_LEVEL").unwrap() == "0" { "0" } else { "2" });
    let mut objects = Vec::new();
    for name in ["biostream", "biostream_cuda"] {
        let object = out.join(name).with_extension("o");
        let source = tree.join("examples/cmake").join(name).with_extension("c");
        let compiler = var("CC").unwrap_or_else(|_| "cc".into());
        run(Command::new(compiler).args([&level, "-fPIC", "-c"]).arg(source).arg("-o").arg(&object));
        println!("cargo:rerun-if-changed={}", tree.join(name).with_extension("h").display());
        objects.push(object);
    }
    let packer = var("AR").unwrap_or_else(|_| "ar".into());
    run(Command::new(packer).arg("rcs").arg(out.join("libbiostream.a")).args(&objects));
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rustc-link-lib=static=biostream");
}
