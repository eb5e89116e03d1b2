//! api_host.rs - a program in Rust over what `make api` makes: without arguments it prints every value and where every field
//! lies, as layout.c does in C; with a file it counts the records that a reader finds, and the rows that a loader makes of it.
use biostream_sys::*;
use std::ffi::{CStr, CString};
use std::mem::{align_of, size_of, size_of_val, MaybeUninit};
use std::ptr::{addr_of, null_mut};

include!("layout.rs");

fn said(error: *const biost_error) -> String {
    unsafe { CStr::from_ptr((*error).text.as_ptr()) }.to_string_lossy().into_owned()
}

unsafe fn records(path: &CString) -> Result<u64, String> {
    let mut desc: biost_reader_desc = std::mem::zeroed();
    let mut error: biost_error = std::mem::zeroed();
    let (mut reader, mut record, mut count) = (null_mut(), std::mem::zeroed(), 0);
    desc.path = path.as_ptr();
    if biost_reader_open(&desc, &mut reader, &mut error) != BIOST_OK {
        return Err(said(&error));
    }
    let result = loop {
        match biost_reader_next(reader, &mut record) {
            BIOST_OK => count += 1,
            BIOST_END => break Ok(count),
            _ => break Err(said(biost_reader_error(reader))),
        }
    };
    biost_reader_close(reader);
    result
}

unsafe fn rows(path: &CString) -> Result<u64, String> {
    let mut desc: biost_loader_desc = std::mem::zeroed();
    let mut error: biost_error = std::mem::zeroed();
    let (mut loader, mut batch, mut count) = (null_mut(), std::mem::zeroed::<biost_batch>(), 0);
    let paths = [path.as_ptr()];
    desc.paths = paths.as_ptr();
    desc.path_count = 1;
    desc.row_bases = 150;
    if biost_loader_open(&desc, &mut loader, &mut error) != BIOST_OK {
        return Err(said(&error));
    }
    let mut result = biost_loader_begin(loader, 0);
    while result == BIOST_OK {
        result = biost_loader_next(loader, &mut batch);
        if result == BIOST_OK {
            count += u64::from(batch.valid_rows);
            biost_loader_release(loader, &batch);
        }
    }
    let end = if result == BIOST_END { Ok(count) } else { Err(said(biost_loader_error(loader))) };
    biost_loader_close(loader);
    end
}

fn main() -> Result<(), String> {
    match std::env::args().nth(1) {
        None => layout(),
        Some(path) => {
            let path = CString::new(path).unwrap();
            println!("{} {}", unsafe { records(&path) }?, unsafe { rows(&path) }?);
        }
    }
    Ok(())
}
