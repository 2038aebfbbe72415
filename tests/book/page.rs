//! Parses a page into its code blocks, the commands in them, and the files that it defines.

/// A page of the book.
pub(crate) struct Page {
    /// The path below `docs/`.
    pub(crate) name: String,
    pub(crate) text: String,
}

/// A block between lines of backticks.
pub(crate) struct Fence {
    /// The text after the opening backticks.
    pub(crate) info: String,
    pub(crate) body: String,
    /// The byte range of the body in the page.
    pub(crate) start: usize,
    pub(crate) end: usize,
    /// The last nonblank line before the block.
    before: String,
}

impl Page {
    pub(crate) fn new(name: &str, text: String) -> Page {
        let name = name.to_string();
        Page { name, text }
    }

    pub(crate) fn fences(&self) -> Vec<Fence> {
        let mut fences: Vec<Fence> = Vec::new();
        let mut open: Option<(String, Fence)> = None;
        let mut before = String::new();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let bare = line.trim_end();
            let ticks = &bare[..bare.len() - bare.trim_start_matches('`').len()];
            match &mut open {
                Some((closing, fence)) if bare == closing => {
                    fence.end = at;
                    fence.body = self.text[fence.start..at].to_string();
                    fences.extend(open.take().map(|(_, fence)| fence));
                }
                None if ticks.len() >= 3 => {
                    let start = at + line.len();
                    let fence = Fence {
                        info: bare[ticks.len()..].to_string(),
                        body: String::new(),
                        start,
                        end: start,
                        before: std::mem::take(&mut before),
                    };
                    open = Some((ticks.to_string(), fence));
                }
                None if !bare.is_empty() => before = bare.to_string(),
                _ => {}
            }
            at += line.len();
        }
        assert!(open.is_none(), "{}: a block is not closed", self.name);
        fences
    }

    /// Returns the text without code blocks and inline code.
    pub(crate) fn prose(&self) -> String {
        let (mut prose, mut copied) = (String::new(), 0);
        for fence in self.fences() {
            prose.push_str(&self.text[copied..fence.start]);
            copied = fence.end;
        }
        prose.push_str(&self.text[copied..]);
        let lines = prose.lines().filter(|line| !line.starts_with("```"));
        let lines = lines.map(|line| {
            let parts = line.split('`').enumerate();
            let text = parts.map(|(index, part)| match index % 2 {
                0 => part.to_string(),
                // Brackets inside code must not look like a link; the words stay for headings.
                _ => part.replace(['[', ']', '(', ')', '<', '>'], ""),
            });
            text.collect::<String>()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Returns the files that the page defines or shows: each block that follows a line ending in a
    /// file name in backticks and a colon.
    pub(crate) fn files(&self) -> Vec<(String, String)> {
        let fences = self.fences();
        let named = fences.iter().filter_map(|fence| {
            let line = fence.before.strip_suffix("`:")?;
            let (_, name) = line.rsplit_once('`')?;
            Some((name.to_string(), fence.body.clone()))
        });
        named.collect()
    }
}

impl Fence {
    /// Returns whether the block shows commands with their output.
    pub(crate) fn is_console(&self) -> bool {
        self.info == "console"
    }

    /// Returns the commands of a console block; each starts with `$ `.
    pub(crate) fn commands(&self) -> Vec<String> {
        let mut commands: Vec<String> = Vec::new();
        let mut is_open = false;
        for line in self.body.lines() {
            match line.strip_prefix("$ ") {
                Some(start) if !is_open => commands.push(start.to_string()),
                _ if is_open => {
                    let last = commands.last_mut().expect("a command is open");
                    last.push('\n');
                    last.push_str(line);
                }
                _ => {
                    assert!(!commands.is_empty(), "an answer without a command: {line}");
                    continue;
                }
            }
            is_open = commands.last().is_some_and(|last| goes_on(last));
        }
        assert!(!is_open, "a command without an end: {commands:?}");
        commands
    }

    /// Returns the commands of a script: its lines without comments.
    pub(crate) fn commands_of_script(&self) -> Vec<String> {
        let lines = self.body.lines().map(|line| match line.split_once(" #") {
            Some((command, _)) => command.trim().to_string(),
            None => line.trim().to_string(),
        });
        let is_command = |line: &String| !line.is_empty() && !line.starts_with('#');
        lines.filter(is_command).collect()
    }
}

/// Returns whether the shell waits for more input: an escaped or quoted newline, or a heredoc.
fn goes_on(command: &str) -> bool {
    let first = command.lines().next().unwrap_or_default();
    if let Some((_, end)) = first.split_once("<<'") {
        let end = end.split('\'').next().unwrap_or_default();
        return command.lines().last() != Some(end);
    }
    command.ends_with('\\') || command.matches('\'').count() % 2 == 1
}

#[test]
fn the_files_and_commands_of_a_page_are_found() {
    let text = "Into `a.rs`:\n\n```rust\nfn a() {}\n```\n\n````console\n$ a 'b\nc' \\\n  d\nanswer\n\
                $ cat > x <<'E'\n$ it\nE\n````\n";
    let page = Page::new("a.md", text.to_string());
    assert_eq!(
        page.files(),
        [("a.rs".to_string(), "fn a() {}\n".to_string())]
    );
    let fences = page.fences();
    let console = fences.iter().find(|fence| fence.is_console());
    assert_eq!(
        console.expect("there is one").commands(),
        ["a 'b\nc' \\\n  d", "cat > x <<'E'\n$ it\nE"]
    );
}
