-- biostream in an xmake project, with a copy of the repository in a folder of yours:
--
--     includes("biostream/examples/packages/xmake")
--     target("train")
--         add_files("train.c")
--         add_deps("biostream")
--
-- Without BIOSTREAM_IMPLEMENTATION in train.c: the library has it. `xmake f --kind=shared` makes it a shared one.
target("biostream")
    set_kind("$(kind)")
    set_languages("gnu99")
    set_optimize("faster")
    add_files("../../cmake/*.c")
    add_includedirs("../../..", "../..", {public = true})
    add_headerfiles("../../../*.h", "../../*.hpp", "../../*_over_biostream.h")
    if is_plat("linux", "bsd") then
        add_cflags("-fPIC")
        add_syslinks("pthread", "dl", {public = true})
    end
