//! A remote's address → a key that is the same however the address is written.

use super::Project;

/// Other names of hosts, and the host they are.
const HOSTS: &[(&str, &str)] = &[
    ("www.github.com", "github.com"),
    ("ssh.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
    ("ssh.dev.azure.com", "dev.azure.com"),
];

/// Hosts that people give a second name in their ssh settings, to use another account: `github.com-work`.
const RENAMED_HOSTS: &[&str] = &["github.com", "gitlab.com", "bitbucket.org"];

/// From a remote's address: no credentials, no `.git`, host in lower case. `None` if it is no address.
pub fn from_remote(url: &str) -> Option<Project> {
    let url = url.trim();
    let (rest, scp) = match url.split_once("://") {
        Some((_, rest)) => (rest, false),
        None => (url, true),
    };
    let rest = rest.rsplit_once('@').map_or(rest, |(_, r)| r);
    let (host, path) = if scp { rest.split_once(':')? } else { rest.split_once('/')? };
    // `C:\\code\\shop` is a folder.
    if scp && path.starts_with('\\') {
        return None;
    }
    let host = host_of(&host.split(':').next().unwrap_or(host).to_lowercase());
    let path = path.trim_matches('/').trim_end_matches(".git").trim_matches('/');
    let path = path_at(&host, path);
    let sound = !host.is_empty()
        && host.contains(|c: char| c.is_alphanumeric())
        && path.contains(|c: char| c.is_alphanumeric())
        && !host.contains(char::is_whitespace);
    sound.then(|| Project::from_key(&format!("{host}/{path}")))
}

fn host_of(host: &str) -> String {
    let renamed =
        RENAMED_HOSTS.iter().find(|known| host.strip_prefix(**known).is_some_and(|rest| rest.starts_with('-')));
    let known = renamed.or_else(|| HOSTS.iter().find(|(other, _)| *other == host).map(|(_, known)| known));
    known.map_or_else(|| host.to_owned(), |known| (*known).to_owned())
}

/// A path without doubled slashes. Azure writes one repository as `org/project/_git/name` and as `v3/org/project/name`.
fn path_at(host: &str, path: &str) -> String {
    let azure = host == "dev.azure.com";
    let noise = |at: usize, part: &str| part.is_empty() || (azure && (part == "_git" || (at == 0 && part == "v3")));
    let parts = path.split('/').enumerate().filter(|(at, part)| !noise(*at, part)).map(|(_, part)| part);
    parts.collect::<Vec<_>>().join("/")
}

/// Whether the remote of a folder was renamed: the same repository under another owner, or another name under the same
/// owner. The second needs a folder that has one of the names: containers use one folder for many repositories.
pub fn is_renamed(old: &str, new: &str, folder: &str) -> bool {
    let (Some((old_owner, old_name)), Some((new_owner, new_name))) = (old.rsplit_once('/'), new.rsplit_once('/'))
    else {
        return false;
    };
    let same = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let folder = folder.rsplit('/').next().unwrap_or_default();
    same(old_name, new_name) || (same(old_owner, new_owner) && (same(folder, old_name) || same(folder, new_name)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_one_repository_are_one_project() {
        for url in [
            "https://github.com/Owner/Name.git",
            "https://user:secret@GitHub.com/Owner/Name",
            "git@github.com:Owner/Name.git",
            "ssh://git@github.com:22/Owner/Name.git",
            "https://github.com/Owner/Name/",
        ] {
            assert_eq!(from_remote(url).map(|p| p.key).as_deref(), Some("github.com/Owner/Name"), "{url}");
        }
        for url in ["", "/srv/git/x", "https://github.com/..git", "nonsense"] {
            assert_eq!(from_remote(url), None, "{url}");
        }
    }

    #[test]
    fn one_repository_has_one_key_however_its_host_is_reached() {
        for (url, key) in [
            ("git@github.com-work:acme/shop.git", "github.com/acme/shop"),
            ("ssh://git@ssh.github.com:443/acme/shop.git", "github.com/acme/shop"),
            ("git://www.github.com/acme//shop", "github.com/acme/shop"),
            ("https://acme@dev.azure.com/acme/web/_git/shop", "dev.azure.com/acme/web/shop"),
            ("git@ssh.dev.azure.com:v3/acme/web/shop", "dev.azure.com/acme/web/shop"),
            ("git@gitlab.com:group/sub/shop.git/", "gitlab.com/group/sub/shop"),
        ] {
            assert_eq!(from_remote(url).map(|p| p.key).as_deref(), Some(key), "{url}");
        }
        for url in [r"C:\code\shop", "file:///srv/shop.git", "../shop"] {
            assert_eq!(from_remote(url), None, "{url}");
        }
    }

    #[test]
    fn a_remote_is_renamed_if_owner_or_name_stay_and_the_folder_does_not_serve_all() {
        for (old, new, folder, renamed) in [
            ("github.com/me/shop", "github.com/acme/shop", "/w1/shop", true),
            ("github.com/me/shop", "github.com/acme/Shop", "/workspace", true),
            ("github.com/acme/shop", "github.com/acme/store", "/w1/shop", true),
            ("github.com/acme/shop", "github.com/acme/store", "/w1/store", true),
            ("github.com/acme/shop", "github.com/acme/blog", "/workspace", false),
            ("github.com/me/shop", "github.com/acme/blog", "/w1/shop", false),
            ("h/shop", "h/shop", "/w1", true),
        ] {
            assert_eq!(is_renamed(old, new, folder), renamed, "{old} {new} {folder}");
        }
    }
}
