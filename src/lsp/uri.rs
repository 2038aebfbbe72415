//! Converts absolute paths to `file:` URIs and back.
//!
//! Servers disagree on what has to be escaped, so paths are compared, never URIs.

use camino::{Utf8Path, Utf8PathBuf};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// All characters except those that a URI's path contains unescaped (RFC 3986, "unreserved", and
/// the separator). Other clients escape as much, so servers can read it.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'/')
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// Returns the `file:` URI of an absolute path.
pub fn uri_of(path: &Utf8Path) -> String {
    // On other systems a backslash is part of a name.
    match std::path::MAIN_SEPARATOR {
        '\\' => uri_with_drive(path.as_str()),
        _ => format!("file://{}", escaped(path.as_str())),
    }
}

/// Returns the URI of a path on a system with drives. It does not contain the prefix of paths whose links are resolved
/// (`\\?\C:\`, `\\?\UNC\host\`), since servers do not expect it.
fn uri_with_drive(path: &str) -> String {
    let path = path.replace('\\', "/");
    match path.strip_prefix("//?/UNC/") {
        Some(shared) => format!("file://{}", escaped(shared)),
        None => {
            let path = path.strip_prefix("//?/").unwrap_or(&path);
            // Before a drive too.
            format!("file:///{}", escaped(path.trim_start_matches('/')))
        }
    }
}

fn escaped(path: &str) -> impl std::fmt::Display + '_ {
    utf8_percent_encode(path, ESCAPED)
}

/// Returns the path of a `file:` URI; `None` for other URIs.
pub fn path_of(uri: &str) -> Option<Utf8PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    let path = percent_decode_str(path).decode_utf8().ok()?;
    let without_slash = path.strip_prefix('/')?;
    // `/C:/` on a system with drives.
    let has_drive = cfg!(windows) && without_slash.as_bytes().get(1) == Some(&b':');
    Some(match has_drive {
        true => without_slash.into(),
        false => path.as_ref().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_with_drives_become_uris() {
        for (path, uri) in [
            (r"C:\a b\c.py", "file:///C%3A/a%20b/c.py"),
            (r"\\?\C:\c.py", "file:///C%3A/c.py"),
            (r"\c.py", "file:///c.py"),
            (r"\\?\UNC\host\share\c.py", "file://host/share/c.py"),
        ] {
            assert_eq!(uri_with_drive(path), uri);
        }
    }

    #[test]
    fn uris_and_paths_are_converted_with_any_escaping() {
        for (path, uri) in [
            ("/a b/c.py", "file:///a%20b/c.py"),
            ("/[x]/a+b#c%d.ts", "file:///%5Bx%5D/a%2Bb%23c%25d.ts"),
            ("/é😀/~_-.", "file:///%C3%A9%F0%9F%98%80/~_-."),
            #[cfg(not(windows))]
            ("/a\\b:c", "file:///a%5Cb%3Ac"),
        ] {
            assert_eq!(uri_of(path.into()), uri);
            assert_eq!(path_of(uri).as_deref(), Some(Utf8Path::new(path)));
        }
        for (uri, path) in [
            ("file:///[x]/a+b#c.ts", Some("/[x]/a+b#c.ts")),
            ("file://localhost/a%5b", Some("/a[")),
            ("file:///100%.py", Some("/100%.py")),
            ("file:///%ff", None),
            ("untitled:a", None),
            ("file://host/a", None),
        ] {
            assert_eq!(path_of(uri).as_deref(), path.map(Utf8Path::new), "{uri}");
        }
    }
}
