//! Folder layouts as people and tools make them, each with the project it belongs to.
//!
//! A line of `known` says what was learned of a folder: `git F` (a session's record names a branch), `git F on B`, `remote F
//! URL` (seen on disk or in a record), `top F T` (seen on disk: F is in the checkout T). `asked` is `folder => key = name`.

use super::{Fact, Map, from_remote, names, one_spelling};

struct Layout {
    claim: &'static str,
    known: &'static str,
    asked: &'static str,
}

const fn layout(claim: &'static str, known: &'static str, asked: &'static str) -> Layout {
    Layout { claim, known, asked }
}

const HOME: &str = "/home/me";

const LAYOUTS: &[Layout] = &[
    // Worktrees below a checkout.
    layout("a numbered worktree", "", "/w1/shop/.worktrees/1 => path:/w1/shop = shop"),
    layout(
        "several worktrees and their checkout",
        "git /w1/shop",
        "/w1/shop => path:/w1/shop = shop | /w1/shop/.worktrees/2 => path:/w1/shop = shop
         | /w1/shop/.worktrees/3/src => path:/w1/shop = shop",
    ),
    layout("a worktree named like a branch", "", "/w1/shop/.worktrees/me/fix-x/src => path:/w1/shop = shop"),
    layout("a worktree of Claude Code", "", "/w1/shop/.claude/worktrees/bold-curie-1a2b => path:/w1/shop = shop"),
    layout("a worktree of a subagent", "", "/w1/shop/.claude/worktrees/agent-a407/src => path:/w1/shop = shop"),
    layout("a worktree in a worktree", "", "/w1/shop/.worktrees/1/.claude/worktrees/agent-a => path:/w1/shop = shop"),
    layout("git's own folder", "", "/w1/shop/.git => path:/w1/shop = shop"),
    layout("git's notes on a worktree", "", "/w1/shop/.git/worktrees/x => path:/w1/shop = shop"),
    layout("a worktree of another tool", "", "/w1/shop/.kilocode/worktrees/x-1 => path:/w1/shop = shop"),
    layout("a conductor workspace in the checkout", "", "/w1/shop/.conductor/lisbon => path:/w1/shop = shop"),
    layout("a folder of trees", "", "/w1/shop/.trees/login => path:/w1/shop = shop"),
    layout("short for worktree", "", "/w1/shop/.wt/login => path:/w1/shop = shop"),
    layout(
        "a worktree of a checkout with a remote",
        "remote /w1/shop git@github.com:acme/shop.git",
        "/w1/shop/.worktrees/1 => github.com/acme/shop = shop",
    ),
    layout(
        "a plain worktrees folder in a known checkout",
        "git /w1/shop",
        "/w1/shop/worktrees/x => path:/w1/shop = shop",
    ),
    layout("the worktrees' folder itself", "", "/w1/shop/.worktrees => path:/w1/shop = shop"),
    // Worktrees beside a checkout.
    layout(
        "a linked worktree that was seen on disk",
        "top /w1/shop-fix /w1/shop",
        "/w1/shop-fix => path:/w1/shop = shop",
    ),
    layout(
        "a linked worktree that is gone, of a checkout with a remote",
        "remote /w1/shop https://github.com/acme/shop\ntop /w1/fix /w1/shop",
        "/w1/fix/src => github.com/acme/shop = shop",
    ),
    layout("a folder of worktrees beside", "", "/w1/shop.worktrees/fix-yaml => path:/w1/shop = shop"),
    layout("the same with underscores", "", "/w1/shop__worktrees/fix/.out/x => path:/w1/shop = shop"),
    layout("the same with a dash", "", "/w1/shop-worktrees/fix => path:/w1/shop = shop"),
    layout(
        "a folder of worktrees by repository, beside the checkout",
        "git /w1/shop",
        "/w1/wt/shop/experiment => path:/w1/shop = shop",
    ),
    layout(
        "worktrees by repository, the checkout elsewhere",
        "remote /w2/src/shop git@github.com:acme/shop.git",
        "/w1/worktrees/shop/experiment => github.com/acme/shop = shop",
    ),
    layout(
        "a worktree in a folder named like its branch, beside the only checkout",
        "git /w1/shop on main\ngit /w1/me/fix-it on me/fix-it",
        "/w1/me/fix-it => path:/w1/shop = shop",
    ),
    layout(
        "worktrees named like branches of one part, beside the only checkout",
        "git /w1/shop on main\ngit /w1/fix-all-lints on fix-all-lints\ngit /w1/20260205-shop on 20260205-shop",
        "/w1/fix-all-lints => path:/w1/shop = shop | /w1/20260205-shop/src => path:/w1/shop = shop",
    ),
    layout(
        "a single word may be a repository's name, too",
        "git /w1/shop on main\ngit /w1/docs on docs",
        "/w1/docs => path:/w1/docs = docs",
    ),
    layout(
        "a worktree's remote is its checkout's",
        "git /w1/shop\nremote /w1/wt/shop/try git@github.com:acme/shop.git\nremote /w1/blog/.worktrees/1 git@h.org:a/blog",
        "/w1/shop/web => github.com/acme/shop = shop | /w1/blog => h.org/a/blog = blog",
    ),
    layout(
        "the same beside two checkouts is not known",
        "git /w1/shop on main\ngit /w1/blog on main\ngit /w1/me/fix-it on me/fix-it",
        "/w1/me/fix-it => path:/w1/me/fix-it = fix-it",
    ),
    // Worktrees in a tool's own folder under the home.
    layout("Codex, alone", "", "/home/me/.codex/worktrees/a1b2/shop => path:/home/me/.codex/worktrees/shop = shop"),
    layout(
        "Codex, the checkout is known",
        "git /w1/shop",
        "/home/me/.codex/worktrees/a1b2/shop/src => path:/w1/shop = shop",
    ),
    layout(
        "Cursor, the checkout has a remote",
        "remote /w1/shop git@github.com:acme/shop.git",
        "/home/me/.cursor/worktrees/shop/x1Ab => github.com/acme/shop = shop",
    ),
    layout(
        "two checkouts of that name: not known which",
        "remote /w1/shop git@github.com:acme/shop.git\nremote /w2/shop git@github.com:rival/shop.git",
        "/home/me/.cursor/worktrees/shop/x1Ab => path:/home/me/.cursor/worktrees/shop = worktrees/shop",
    ),
    layout("Claude's desktop app", "git /w1/shop", "/home/me/.claude-worktrees/shop/calm-bohr => path:/w1/shop = shop"),
    layout("conductor", "git /w1/shop", "/home/me/conductor/workspaces/shop/lisbon => path:/w1/shop = shop"),
    layout(
        "another user's home",
        "",
        "/Users/you/.codex/worktrees/9f/shop => path:/Users/you/.codex/worktrees/shop = shop",
    ),
    layout(
        "a Windows home",
        "",
        r"C:\Users\you\.cursor\worktrees\shop\9f => path:c:/users/you/.cursor/worktrees/shop = shop",
    ),
    layout("a task board", "git /w1/shop", "/tmp/vibe-kanban/worktrees/9f3c-fix/shop => path:/w1/shop = shop"),
    // Sub-folders.
    layout("below a checkout, gone", "git /w1/shop\ngit /w1/shop/web", "/w1/shop/web => path:/w1/shop = shop"),
    layout("far below", "remote /w1/shop git@h.org:a/shop", "/w1/shop/a/b/c => h.org/a/shop = shop"),
    layout("below a folder that is no checkout", "", "/w1/notes/a => path:/w1/notes/a = a"),
    layout("a repository in the home does not own the home", "git /home/me", "/home/me/x => path:/home/me/x = x"),
    layout("the home itself", "git /home/me", "/home/me => path:/home/me = me"),
    layout(
        "a repository in a repository",
        "remote /w1/shop git@h.org:a/shop\nremote /w1/shop/vendor/lib git@h.org:b/lib",
        "/w1/shop/vendor/lib/src => h.org/b/lib = lib | /w1/shop/vendor => h.org/a/shop = shop",
    ),
    layout("a name that only begins alike", "git /w1/shop", "/w1/shop-api => path:/w1/shop-api = shop-api"),
    // Several clones.
    layout(
        "two clones of one remote, and below them",
        "remote /w1/shop git@github.com:acme/shop.git\nremote /w2/shop2 https://github.com/acme/shop",
        "/w1/shop/a => github.com/acme/shop = shop | /w2/shop2 => github.com/acme/shop = shop",
    ),
    // One path, many spellings.
    layout("Windows", "", r"C:\Code\Shop => path:c:/code/shop = shop"),
    layout("Windows, forward slashes", "", "c:/Code/Shop/ => path:c:/code/shop = shop"),
    layout("Git-Bash", "", "/c/Code/Shop => path:c:/code/shop = shop"),
    layout("WSL's view of a drive", "", "/mnt/c/Code/Shop => path:c:/code/shop = shop"),
    layout("Cygwin", "", "/cygdrive/c/Code/Shop => path:c:/code/shop = shop"),
    layout("a long Windows path", "", r"\\?\C:\Code\Shop => path:c:/code/shop = shop"),
    layout("Windows' view of WSL", "", r"\\wsl$\Ubuntu\home\me\shop => path:/home/me/shop = shop"),
    layout("the same, newer", "", r"\\wsl.localhost\Ubuntu\home\me\shop\ => path:/home/me/shop = shop"),
    layout("Windows' view of WSL's view of a drive", "", r"\\wsl$\Ubuntu\mnt\d\shop => path:d:/shop = shop"),
    layout("a share", "", r"\\Server\Code\shop => path://server/code/shop = shop"),
    layout("a long share", "", r"\\?\UNC\Server\Code\shop => path://server/code/shop = shop"),
    layout("a Windows worktree", "", r"D:\shop\.claude\worktrees\x\src => path:d:/shop = shop"),
    layout("macOS' private tmp", "", "/private/tmp/shop => path:/tmp/shop = shop"),
    layout("macOS' private var", "", "/private/var/folders/x/shop => path:/var/folders/x/shop = shop"),
    layout("macOS' data volume", "", "/System/Volumes/Data/Users/me/shop => path:/Users/me/shop = shop"),
    layout("trailing and doubled slashes, dots", "", "/w1//shop/./a/..// => path:/w1/shop = shop"),
    layout("the root", "", "/ => path:/ = /"),
    layout("a drive", "", r"C:\ => path:c:/ = c:"),
    // Readable names.
    layout("a number is no name", "", "/w1/runs/7 => path:/w1/runs/7 = runs/7"),
    layout("a hash is no name", "", "/w1/runs/4f9d2c81ab => path:/w1/runs/4f9d2c81ab = runs/4f9d2c81ab"),
    layout("a word of hex letters is one", "", "/w1/facade => path:/w1/facade = facade"),
    layout(
        "two of one name are told apart",
        "",
        "/w1/a/shop => path:/w1/a/shop = a/shop | /w1/b/shop => path:/w1/b/shop = b/shop",
    ),
    layout(
        "a longer name only where it is needed",
        "",
        "/w1/a/x/shop => path:/w1/a/x/shop = a/x/shop | /w1/b/x/shop => path:/w1/b/x/shop = b/x/shop
         | /w1/blog => path:/w1/blog = blog",
    ),
    layout(
        "two remotes of one name",
        "remote /w1/a git@github.com:acme/shop\nremote /w1/b git@github.com:rival/shop",
        "/w1/a => github.com/acme/shop = acme/shop | /w1/b => github.com/rival/shop = rival/shop",
    ),
];

fn map(known: &str) -> Map {
    let facts = known.lines().map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut fact = Fact { folder: one_spelling(words[1]), ..Fact::default() };
        match (words[0], words.get(2).copied()) {
            ("remote", Some(url)) => fact.key = from_remote(url).map(|p| p.key),
            ("top", Some(top)) => fact.top = Some(one_spelling(top)),
            ("git", _) => fact.branch = words.get(3).map(|b| (*b).to_owned()),
            other => panic!("{other:?}"),
        }
        fact
    });
    Map::new(Some(HOME), facts.collect::<Vec<_>>())
}

#[test]
fn every_layout_is_the_project_it_should_be() {
    let mut wrong = Vec::new();
    for layout in LAYOUTS {
        let map = map(layout.known);
        let asked: Vec<(&str, &str, &str)> = layout
            .asked
            .split('|')
            .map(|one| {
                let (folder, rest) = one.split_once(" => ").expect("a folder");
                let (key, name) = rest.split_once(" = ").expect("a name");
                (folder.trim(), key.trim(), name.trim())
            })
            .collect();
        let keys: Vec<String> = asked.iter().map(|(folder, ..)| map.place(&one_spelling(folder)).key).collect();
        let others =
            layout.known.lines().filter_map(|l| map.place(&one_spelling(l.split_whitespace().nth(1)?)).key.into());
        let names = names(keys.iter().cloned().chain(others), |_| None);
        for ((folder, key, name), got) in asked.iter().zip(&keys) {
            if (got.as_str(), names[got].as_str()) != (key, name) {
                wrong.push(format!("{}: {folder} => {got} = {}, not {key} = {name}", layout.claim, names[got]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), LAYOUTS.len(), wrong.join("\n"));
    assert!(LAYOUTS.len() >= 40);
}
