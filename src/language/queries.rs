//! Reads a row's `.scm` files into tables, once, at first use.
//!
//! The files are written in a flat subset of tree-sitter's query language ([`rule`]), so that
//! matching a node is a look-up by its type and a comparison with a handful of children: compiling
//! such queries with tree-sitter costs 10 to 650 ms per language, running them 0.42 of a parse.

mod grammar;
mod rule;

use std::collections::HashMap;
use std::ops::Range;

use tree_sitter::Node;

use grammar::Grammar;
use rule::{Captured, Rule, parse};

use super::{GENERAL_WORDS, Language, QueryFile};

/// A query file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {problem}")]
pub struct QueryError {
    /// The file in `queries/`.
    pub file: &'static str,
    /// The line, from 1.
    pub line: usize,
    /// What is wrong there.
    pub problem: String,
}

/// A language's facts, by node type.
#[derive(Debug)]
pub(crate) struct Tables {
    /// `tags.scm`: what makes a node a definition.
    definitions: Rules<Definition>,
    /// `tags.scm`, `@leading`: what stands before a definition and belongs to its range.
    leading: Rules<()>,
    /// `tags.scm`, `@named`: where in what is captured as `@name` the name itself is.
    named: Rules<()>,
    /// `tags.scm`, `@section`: what bounds no definition that has a level.
    sections: Rules<()>,
    /// `tags.scm`, `@closed`: below which the grammar has no definition.
    closed: Rules<()>,
    /// `kinds.scm`: each general word with what it stands for, or (`#set! is "not"`) does not.
    words: HashMap<&'static str, Rules<bool>>,
    /// `attached.scm`: what travels with a node, by its kind (`doc`, `attribute`, ...).
    attached: Rules<AttachedKind>,
    /// `attached.scm`, `@wrapped`: what its parent does but stand round, with words of its own and
    /// what is attached.
    wrapped: Rules<()>,
    /// `attached.scm`, `@file`: comments about the whole file, which belong to nothing that follows them.
    about_file: Rules<()>,
    /// `attached.scm`, `@opening`: what may precede such a comment in its parent.
    openings: Rules<()>,
    /// `attached.scm`, `@guard`: whose own signs may precede such a comment: `#ifndef LIST_H`.
    guards: Rules<()>,
    /// `attached.scm`, `@loose`: comments that the grammar may put into the node before them, and the sign
    /// that each begins with (`#set! begins`), where the file says.
    loose: Rules<Option<String>>,
    /// `attached.scm`, `@tail`: what the grammar puts behind the node that it is a part of.
    tails: Rules<()>,
    /// `attached.scm`, `@within`: what is attached to a node that it is a part of: an annotation.
    within: Rules<()>,
    /// `attached.scm`, `@unseen`: what nobody sees as a node.
    unseen: Rules<()>,
    /// `attached.scm`, `@opens`: what begins a tail.
    tail_openings: Rules<()>,
    /// `protected.scm`, `@moves`: what begins a tail whose lines say the same however deep all stand.
    moving_openings: Rules<()>,
    /// `lists.scm`: whose members are set apart by a separator.
    lists: Rules<List>,
    /// `lists.scm`, `@unseparated`: members that need no separator behind them.
    unseparated: Rules<()>,
    /// `lists.scm` and `bodies.scm`, `@frame`: what stands in a list or a body and is no member.
    frames: Rules<()>,
    /// `lists.scm`, `@separator`: a sign that the grammar gives a name.
    signs: Rules<()>,
    /// `lists.scm`, `@row`: whose members stand side by side, with nothing but blanks between.
    rows: Rules<()>,
    /// `lists.scm`, `@ended`: what may end with a semicolon or do without.
    ended: Rules<()>,
    /// `bodies.scm`: nodes that are an inside of their own and of what they are a child of.
    bodies: Rules<Body>,
    /// `bodies.scm`: nodes that are the inside of a certain parent.
    inner_bodies: Rules<()>,
    /// `bodies.scm`, `@head`: what begins a body and stays first in it.
    heads: Rules<()>,
    /// `bodies.scm`, `@terminator`: a sign that belongs to the member before it.
    terminators: Rules<()>,
    /// `bodies.scm`, `@unindented`: a line that begins with it stands where it was written.
    unindented: Rules<()>,
    /// `bodies.scm`, `@late`: what may end with the line breaks behind it.
    late: Rules<()>,
    /// `bodies.scm`, `@unmeasured`: whose lines tell nothing of how deep others stand.
    unmeasured: Rules<()>,
    /// `bodies.scm`, `@outdented`: what may stand as deep as the line its parent begins in.
    outdented: Rules<()>,
    /// `bodies.scm`, `@flush`: a line that starts with it may be as deep as the line its parent starts in or deeper, so
    /// it does not show how deep lines are.
    flush: Rules<()>,
    /// `bodies.scm`, `@deeper`: what stands deeper than its parent, with no bracket round it.
    deeper: Rules<()>,
    /// `bodies.scm`, `@marker`: what begins the first line of a body and indents the others.
    markers: Rules<()>,
    /// `bodies.scm`, `@transparent`: whose children count as those of its parent.
    transparent: Rules<()>,
    /// `protected.scm`: whose lines keep their bytes, or (`#set! lines "together"`) move all or none.
    protected: Rules<bool>,
    /// `protected.scm`, `@code`: code that the grammar leaves as one text.
    unparsed: Rules<()>,
    /// `bodies.scm`, `@void`: which ends with its first child, whatever the grammar puts behind.
    void: Rules<()>,
    /// `bodies.scm`, `@words`: the words of prose.
    words_of_prose: Rules<()>,
    /// `bodies.scm`, `@margin`: what a node may end with that belongs to the line after it.
    margins: Rules<()>,
    /// `injections.scm`: which language the text of a node is in.
    injections: Rules<Injection>,
}

/// Gives the text of a node.
pub(crate) type TextOf<'t> = &'t dyn Fn(Node<'_>) -> String;

/// For rules that ask for no text.
pub(crate) const NO_TEXT: TextOf<'static> = &|_| String::new();

/// The kind of what a later rule would take for a definition, or for something attached.
const NONE: &str = "none";

/// How it is known which language a node holds.
#[derive(Debug)]
enum Injection {
    /// `#set! injection.language`.
    Always(&'static Language),
    /// `@injection.language`: the text of a node names it.
    Named,
}

/// How something is attached to what follows it.
#[derive(Debug)]
pub(crate) struct AttachedKind {
    /// `doc`, `attribute`, ...
    pub(crate) kind: &'static str,
    /// `#set! touching "lines"`: no blank line may stand between, and it may stand behind another
    /// node in its line instead.
    pub(crate) is_touching: bool,
    /// Where it may belong to what it stands behind, though it has lines of its own.
    pub(crate) stands: Stands,
    /// `#set! begins "same"`: it is a declaration of its own, attached to what begins with the same word.
    pub(crate) begins_same: bool,
    /// `#set! group "last"`: of several of its kind with blank lines between, only those behind the last
    /// blank line belong to what follows.
    pub(crate) is_of_last_group: bool,
}

/// To what docs on lines of their own belong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stands {
    /// To what follows.
    Before,
    /// `#set! stands "behind"`: to what they touch before them.
    Behind,
    /// `#set! stands "either"`: to what they touch before them, if a blank line or the end follows.
    Either,
}

/// A list whose members are set apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct List {
    /// The token between two members with the blanks before it.
    pub(crate) separator: String,
    /// What its children are to it.
    pub(crate) members: Members,
    /// How it stands once something comes into it, when it was empty.
    pub(crate) opens: Opens,
    /// Whether the last member has a separator too, where members stand on lines of their own.
    pub(crate) trailing: bool,
    /// Whether a single member needs one: `(a,)`.
    pub(crate) single: bool,
    /// Whether the list goes with its last member: `<T>`.
    pub(crate) goes_when_empty: bool,
    /// Whether a line break sets two members apart as well, so that there is no separator then.
    pub(crate) or_lines: bool,
    /// Another token that may stand between two members.
    pub(crate) other: Option<String>,
    /// Whether members on lines of their own need no separator.
    pub(crate) optional: bool,
    /// Whether it is no inside of what holds it: `const a = 1, b = 2`.
    pub(crate) is_no_inside: bool,
    /// Whether a separator that begins a line, or that stands before the first member, belongs to the
    /// member behind it.
    pub(crate) leads: bool,
}

impl List {
    /// The token between two members.
    pub(crate) fn token(&self) -> &str {
        self.separator.trim_start()
    }

    /// Whether either of two tokens may be chosen between two members. Where a line break parts them
    /// too, the other token says something of its own: `&`.
    pub(crate) fn has_choice(&self) -> bool {
        self.other.is_some() && !self.or_lines
    }

    /// `text` without the separator it ends with, if it does: not with `\\;`, nor a word with `and`.
    pub(crate) fn strip_end<'t>(&self, text: &'t str) -> Option<&'t str> {
        let mut tokens = self.tokens().take(if self.has_choice() { 2 } else { 1 });
        let bare = tokens.find_map(|token| {
            let bare = text.strip_suffix(token)?;
            (!(is_word(token) && bare.ends_with(is_of_word))).then_some(bare)
        })?;
        (!bare.ends_with('\\')).then_some(bare)
    }

    /// Whether `text` ends with another token that parts it from what follows.
    pub(crate) fn ends_itself(&self, text: &str) -> bool {
        let other = self.other.as_deref().filter(|_| !self.has_choice());
        other.is_some_and(|other| text.ends_with(other))
    }

    /// `text` without the separator it begins with, if it does.
    pub(crate) fn strip_start<'t>(&self, text: &'t str) -> Option<&'t str> {
        self.tokens().find_map(|token| {
            let rest = text.strip_prefix(token)?;
            (!(is_word(token) && rest.starts_with(is_of_word))).then_some(rest)
        })
    }

    fn tokens(&self) -> impl Iterator<Item = &str> {
        [self.token()].into_iter().chain(self.other.as_deref())
    }

    /// Whether the token may stand between two members.
    pub(crate) fn separates(&self, token: &str) -> bool {
        self.tokens().any(|one| one == token)
    }
}

/// Whether a separator is a word, which other words may begin or end with.
fn is_word(token: &str) -> bool {
    token.ends_with(char::is_alphabetic)
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\'')
}

/// What the children of a list are to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Each is a member.
    Nodes,
    /// All between two separators are one member.
    Runs,
    /// A child is a member if it stands alone between two separators, else the grammar does not
    /// know what the list is.
    Alone,
}

/// How an empty list stands once something comes into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// In its line, if the content is one line.
    Inline,
    /// On lines of its own.
    Lines,
    /// As the list stands that it is a member of.
    Around,
}

/// The inside of a node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Body {
    /// Whether its members always stand on lines of their own.
    pub(crate) lines: bool,
    /// Whether they do, and are set off from each other as anywhere.
    pub(crate) apart: bool,
    /// Whether they all begin in the column in which the first does, which alone says that they are
    /// its members.
    pub(crate) column: bool,
    /// Whether the indentation of its lines alone says what is in it.
    pub(crate) indented: bool,
    /// Whether its members begin in one column, and a line that stands deeper goes on with the member
    /// before it.
    pub(crate) aligned: bool,
    /// Whether its members are set off by blank lines where nothing else is seen.
    pub(crate) blank: bool,
    /// Whether definitions of several lines are set off by blank lines where nothing else is seen.
    pub(crate) tall: bool,
    /// How many blank lines set a definition off where none is seen; one if not said.
    pub(crate) between: Option<usize>,
    /// The sign or word behind which its members stand, where that is no bracket: the `:` of a case.
    pub(crate) after: Option<String>,
    /// Whether white space between its members says something: there is none where none was.
    pub(crate) prose: bool,
    /// Whether it stays in its line when something comes into it, if it was empty.
    pub(crate) inline: bool,
}

impl Body {
    /// One whose members stand on lines of their own.
    pub(crate) const fn of_lines() -> Body {
        Body {
            lines: true,
            apart: false,
            column: false,
            indented: false,
            aligned: false,
            blank: false,
            tall: false,
            between: None,
            after: None,
            prose: false,
            inline: false,
        }
    }
}

/// How a definition is called.
#[derive(Clone, Debug)]
struct Definition {
    kind: &'static str,
    /// `#set! level`: the definition reaches up to the next of its level or a higher one (1 is the
    /// highest).
    level: Option<u8>,
    /// `#set! names "all"`: all that stand beside the name and are of its type are names too.
    all_names: bool,
    /// `#set! name`: a text in which each `@capture` stands for the captured text, and `..@capture`
    /// for all text of the definition before it.
    name: Option<String>,
    /// `#set! alias`: such a text for the second name.
    alias: Option<String>,
}

/// A definition found at a node.
pub(crate) struct Tag<'t, 'a> {
    /// The word after `definition.`.
    pub(crate) kind: &'t str,
    /// How deep it is, where that decides how far it reaches.
    pub(crate) level: Option<u8>,
    all_names: bool,
    /// The node of the declared name.
    pub(crate) name: Node<'a>,
    /// The definition's own node.
    node: Node<'a>,
    tables: &'t Tables,
    /// The node that gives a second name.
    alias: Option<Node<'a>>,
    name_template: Option<&'t str>,
    alias_template: Option<&'t str>,
    captured: Vec<(&'static str, Node<'a>)>,
}

impl<'a> Tag<'_, 'a> {
    /// All names the definition declares: `a` and `b` of `a, b int`.
    pub(crate) fn names(&self) -> Vec<Node<'a>> {
        let of_any_type = !self.tables.named.rules.is_empty();
        let list = self.all_names.then(|| self.name.parent()).flatten();
        let names = match list {
            Some(list) => children_like(list, self.name),
            None => alike(self.node, self.name, of_any_type),
        };
        names
            .into_iter()
            .map(|name| self.tables.innermost_named(name))
            .collect()
    }

    /// The name of the definition as `name`, one of its names, gives it; `text` gives the text of a
    /// range of bytes.
    pub(crate) fn name_text(
        &self,
        name: Node<'a>,
        text: impl Fn(Range<usize>) -> String,
    ) -> String {
        match self.name_template {
            Some(template) => self.filled(template, text),
            None => text(name.byte_range()),
        }
    }

    /// The second name; `text` gives the text of a range of bytes.
    pub(crate) fn alias_text(&self, text: impl Fn(Range<usize>) -> String) -> Option<String> {
        match self.alias_template {
            Some(template) => Some(self.filled(template, text)),
            None => self.alias.map(|alias| text(alias.byte_range())),
        }
    }

    /// The template with the text of each `@capture`, and up to each `..@capture`, in its place.
    fn filled(&self, template: &str, text: impl Fn(Range<usize>) -> String) -> String {
        let mut filled = String::new();
        let mut rest = template;
        while let Some((before, behind)) = rest.split_once('@') {
            let of_name = |c: char| c.is_alphanumeric() || c == '_';
            let end = behind.find(|c| !of_name(c)).unwrap_or(behind.len());
            let (wanted, after) = behind.split_at(end);
            let up_to = before.strip_suffix("..");
            filled.push_str(up_to.unwrap_or(before));
            let captured = self.captured.iter().find(|(capture, _)| *capture == wanted);
            if let Some((_, node)) = captured {
                let bytes = match up_to {
                    Some(_) => self.node.start_byte()..node.start_byte(),
                    None => node.byte_range(),
                };
                filled.push_str(text(bytes).trim_end());
            }
            rest = after;
        }
        filled + rest
    }
}

/// The children of `node` of the type of one of them, `child`.
fn children_like<'a>(node: Node<'a>, child: Node<'a>) -> Vec<Node<'a>> {
    let mut cursor = node.walk();
    let children = node.named_children(&mut cursor);
    children
        .filter(|one| one.kind_id() == child.kind_id())
        .collect()
}

/// The nodes below `root` that stand where `name`, one of them, does: in the same fields of nodes
/// of the same types; the names themselves may be `of_any_type`.
fn alike<'a>(root: Node<'a>, name: Node<'a>, of_any_type: bool) -> Vec<Node<'a>> {
    let mut found = vec![root];
    let mut at = root;
    while at != name {
        let mut cursor = at.walk();
        if cursor
            .goto_first_child_for_byte(name.start_byte())
            .is_none()
        {
            return vec![name];
        }
        let Some(field) = cursor.field_id() else {
            return vec![name];
        };
        at = cursor.node();
        let below = |node: Node<'a>| {
            let mut cursor = node.walk();
            let children = node.children_by_field_id(field, &mut cursor);
            let is_any = of_any_type && at == name;
            let alike = children.filter(|child| is_any || child.kind_id() == at.kind_id());
            alike.collect::<Vec<_>>()
        };
        found = found.into_iter().flat_map(below).collect();
    }
    found
}

impl Tables {
    pub(super) fn read(
        grammar: &tree_sitter::Language,
        files: &[QueryFile],
    ) -> Result<Tables, QueryError> {
        let grammar = &Grammar::of(grammar);
        let mut tables = Tables {
            definitions: Rules::default(),
            leading: Rules::default(),
            named: Rules::default(),
            words: HashMap::new(),
            attached: Rules::default(),
            wrapped: Rules::default(),
            about_file: Rules::default(),
            openings: Rules::default(),
            guards: Rules::default(),
            loose: Rules::default(),
            tails: Rules::default(),
            within: Rules::default(),
            unseen: Rules::default(),
            tail_openings: Rules::default(),
            moving_openings: Rules::default(),
            lists: Rules::default(),
            unseparated: Rules::default(),
            frames: Rules::default(),
            ended: Rules::default(),
            signs: Rules::default(),
            rows: Rules::default(),
            bodies: Rules::default(),
            inner_bodies: Rules::default(),
            heads: Rules::default(),
            terminators: Rules::default(),
            unindented: Rules::default(),
            late: Rules::default(),
            unmeasured: Rules::default(),
            outdented: Rules::default(),
            flush: Rules::default(),
            deeper: Rules::default(),
            markers: Rules::default(),
            sections: Rules::default(),
            closed: Rules::default(),
            transparent: Rules::default(),
            protected: Rules::default(),
            unparsed: Rules::default(),
            void: Rules::default(),
            words_of_prose: Rules::default(),
            margins: Rules::default(),
            injections: Rules::default(),
        };
        for file in files {
            let add = match file.role() {
                "tags" => Tables::add_tag,
                "kinds" => Tables::add_word,
                "attached" => Tables::add_attached,
                "lists" => Tables::add_list,
                "bodies" => Tables::add_body,
                "protected" => Tables::add_protected,
                "injections" => Tables::add_injection,
                _ => {
                    return Err(QueryError {
                        file: file.path,
                        line: 1,
                        problem: "no room reads a file of this name".to_string(),
                    });
                }
            };
            for rule in parse((file.path, file.text), grammar)? {
                add(&mut tables, rule)?;
            }
        }
        Ok(tables)
    }

    fn add_tag(&mut self, rule: Rule) -> Result<(), QueryError> {
        for (capture, rules) in [
            ("leading", &mut self.leading),
            ("named", &mut self.named),
            ("section", &mut self.sections),
            ("closed", &mut self.closed),
        ] {
            if rule.root.has_capture(capture) {
                rules.add(rule.captured_at(capture)?, ());
                return Ok(());
            }
        }
        let (capture, kind) = rule.one_capture_with_prefix("definition.")?;
        rule.allow_captures(&[capture, "name", "alias", "trait", "type", "body"])?;
        if kind != NONE && !rule.root.has_capture("name") {
            return Err(rule.error("a definition needs a @name"));
        }
        rule.allow_settings(&["name", "names", "alias", "level"])?;
        let all_names = match rule.setting("names").as_deref() {
            Some("all") => true,
            Some(_) => return Err(rule.error("names are \"all\"")),
            None => false,
        };
        let (name, alias) = (rule.setting("name"), rule.setting("alias"));
        let level = match rule.setting("level").map(|level| level.parse()) {
            Some(Ok(level)) => Some(level),
            Some(Err(_)) => return Err(rule.error("a level is a small number")),
            None => None,
        };
        let definition = Definition {
            kind,
            level,
            all_names,
            name,
            alias,
        };
        self.definitions.add(rule.captured_at(capture)?, definition);
        Ok(())
    }

    fn add_word(&mut self, rule: Rule) -> Result<(), QueryError> {
        let (capture, word) = rule.one_capture_with_prefix("")?;
        let Some(word) = GENERAL_WORDS.iter().find(|known| **known == word) else {
            return Err(rule.error(&format!("@{word} is not a general word")));
        };
        rule.allow_settings(&["is"])?;
        let stands = match rule.setting("is").as_deref() {
            None => true,
            Some("not") => false,
            Some(other) => return Err(rule.unknown_setting("is", other)),
        };
        let rules = self.words.entry(word).or_default();
        rules.add(rule.captured_at(capture)?, stands);
        Ok(())
    }

    fn add_attached(&mut self, rule: Rule) -> Result<(), QueryError> {
        for (capture, rules) in [
            ("wrapped", &mut self.wrapped),
            ("tail", &mut self.tails),
            ("opens", &mut self.tail_openings),
            ("within", &mut self.within),
            ("unseen", &mut self.unseen),
        ] {
            if rule.root.has_capture(capture) {
                rule.asks_for_no_text()?;
                rule.allow_captures(&[capture])?;
                rule.allow_settings(&[])?;
                rules.add(rule.captured_at(capture)?, ());
                return Ok(());
            }
        }
        for (capture, rules) in [
            ("file", &mut self.about_file),
            ("opening", &mut self.openings),
            ("guard", &mut self.guards),
        ] {
            if rule.root.has_capture(capture) {
                rule.allow_captures(&[capture])?;
                rule.allow_settings(&[])?;
                rules.add(rule.captured_at(capture)?, ());
                return Ok(());
            }
        }
        if rule.root.has_capture("loose") {
            rule.asks_for_no_text()?;
            rule.allow_captures(&["loose"])?;
            rule.allow_settings(&["begins"])?;
            let begins = rule.setting("begins");
            self.loose.add(rule.captured_at("loose")?, begins);
            return Ok(());
        }
        let (capture, kind) = rule.one_capture_with_prefix("attached.")?;
        rule.allow_settings(&["touching", "stands", "begins", "group"])?;
        let is_touching = match rule.setting("touching").as_deref() {
            None => false,
            Some("lines") => true,
            Some(other) => return Err(rule.unknown_setting("touching", other)),
        };
        let stands = match rule.setting("stands").as_deref() {
            None => Stands::Before,
            Some("behind") => Stands::Behind,
            Some("either") => Stands::Either,
            Some(other) => return Err(rule.unknown_setting("stands", other)),
        };
        let begins_same = match rule.setting("begins").as_deref() {
            None => false,
            Some("same") => true,
            Some(other) => return Err(rule.unknown_setting("begins", other)),
        };
        let is_of_last_group = match rule.setting("group").as_deref() {
            None => false,
            Some("last") => true,
            Some(other) => return Err(rule.unknown_setting("group", other)),
        };
        let kind = AttachedKind {
            kind,
            is_touching,
            stands,
            begins_same,
            is_of_last_group,
        };
        self.attached.add(rule.captured_at(capture)?, kind);
        Ok(())
    }

    fn add_list(&mut self, rule: Rule) -> Result<(), QueryError> {
        rule.asks_for_no_text()?;
        for (capture, rules) in [
            ("unseparated", &mut self.unseparated),
            ("frame", &mut self.frames),
            ("ended", &mut self.ended),
            ("separator", &mut self.signs),
            ("row", &mut self.rows),
        ] {
            if rule.root.has_capture(capture) {
                rules.add(rule.captured_at(capture)?, ());
                return Ok(());
            }
        }
        rule.allow_captures(&["list"])?;
        let list = rule.list()?;
        self.lists.add(rule.captured_at("list")?, list);
        Ok(())
    }

    fn add_body(&mut self, rule: Rule) -> Result<(), QueryError> {
        let (capture, _) = rule.one_capture_with_prefix("")?;
        if !matches!(capture, "void" | "head") {
            rule.asks_for_no_text()?;
        }
        if capture == "body" && rule.root.is_captured_as(capture) {
            let body = rule.body()?;
            self.bodies.add(rule.captured_at(capture)?, body);
            return Ok(());
        }
        rule.allow_settings(&[])?;
        let rules = match capture {
            "void" => &mut self.void,
            "head" => &mut self.heads,
            "body" => &mut self.inner_bodies,
            "terminator" => &mut self.terminators,
            "unindented" => &mut self.unindented,
            "late" => &mut self.late,
            "unmeasured" => &mut self.unmeasured,
            "outdented" => &mut self.outdented,
            "flush" => &mut self.flush,
            "deeper" => &mut self.deeper,
            "marker" => &mut self.markers,
            "margin" => &mut self.margins,
            "transparent" => &mut self.transparent,
            "words" => &mut self.words_of_prose,
            "frame" => &mut self.frames,
            _ => return Err(rule.error(&format!("no room reads the capture @{capture}"))),
        };
        rules.add(rule.captured_at(capture)?, ());
        Ok(())
    }

    fn add_protected(&mut self, rule: Rule) -> Result<(), QueryError> {
        if rule.root.has_capture("moves") {
            rule.allow_settings(&[])?;
            rule.allow_captures(&["moves"])?;
            self.moving_openings.add(rule.captured_at("moves")?, ());
            return Ok(());
        }
        if rule.root.has_capture("code") {
            rule.allow_settings(&[])?;
            rule.allow_captures(&["code"])?;
            self.unparsed.add(rule.captured_at("code")?, ());
            return Ok(());
        }
        let (capture, _) = rule.one_capture_with_prefix("protected")?;
        rule.allow_settings(&["lines"])?;
        let together = match rule.setting("lines").as_deref() {
            None => false,
            Some("together") => true,
            Some(other) => return Err(rule.unknown_setting("lines", other)),
        };
        self.protected.add(rule.captured_at(capture)?, together);
        Ok(())
    }

    /// A rule of a language that is not built in is left out.
    fn add_injection(&mut self, rule: Rule) -> Result<(), QueryError> {
        rule.allow_captures(&["injection.content", "injection.language"])?;
        rule.allow_settings(&["injection.language"])?;
        if !rule.root.has_capture("injection.content") {
            return Err(rule.error("an injection needs an @injection.content"));
        }
        let is_named = rule.root.has_capture("injection.language");
        let injection = match (rule.setting("injection.language"), is_named) {
            (None, true) => Injection::Named,
            (Some(name), false) => match super::by_name(&name) {
                Some(language) => Injection::Always(language),
                None => return Ok(()),
            },
            _ => return Err(rule.error("an injection needs one injection.language")),
        };
        let root = Captured {
            node: rule.root,
            above: Vec::new(),
        };
        self.injections.add(root, injection);
        Ok(())
    }

    /// The definition that `node` is, if it is one.
    /// `above` are the nodes above it, the nearest last, as far as they are at hand.
    pub(crate) fn tag<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> Option<Tag<'_, 'a>> {
        let mut captured = Vec::new();
        let definition = self.definitions.find(node, above, text, &mut captured)?;
        if definition.kind == NONE {
            return None;
        }
        let of = |wanted: &str| {
            captured
                .iter()
                .find(|(capture, _)| *capture == wanted)
                .map(|(_, node)| *node)
        };
        let name = of("name")?;
        Some(Tag {
            kind: definition.kind,
            level: definition.level,
            all_names: definition.all_names,
            name,
            node,
            tables: self,
            alias: of("alias").map(|alias| self.innermost_named(alias)),
            name_template: definition.name.as_deref(),
            alias_template: definition.alias.as_deref(),
            captured,
        })
    }

    /// The name itself, which may stand deep in `node`: `f` in `**f(int a)`.
    fn innermost_named<'a>(&self, mut node: Node<'a>) -> Node<'a> {
        while !self.named.rules.is_empty() {
            let mut cursor = node.walk();
            let mut children = node.named_children(&mut cursor);
            let inner = children.find(|child| self.named.holds(*child, &[node]).is_some());
            let Some(inner) = inner else {
                break;
            };
            node = inner;
        }
        node
    }

    /// Whether `node` belongs to the range of a definition that follows it.
    pub(crate) fn is_leading(&self, node: Node<'_>) -> bool {
        self.leading.holds(node, &[]).is_some()
    }

    /// Whether no definition stands below `node`. What a parser made of a text that it could not make
    /// sense of may hold any.
    pub(crate) fn is_closed(&self, node: Node<'_>) -> bool {
        self.closed.holds(node, &[]).is_some() && !node.has_error()
    }

    /// What kind of attached thing `node` is (`doc`, `attribute`, ...), if it is one.
    pub(crate) fn attached(&self, node: Node<'_>, text: TextOf<'_>) -> Option<&AttachedKind> {
        let kind = self.attached.find(node, &[], text, &mut Vec::new());
        kind.filter(|kind| kind.kind != NONE)
    }

    /// Whether a node of a type may be attached to another in a parent of the other type.
    pub(crate) fn may_be_attached(&self, kind: u16, parent: u16) -> bool {
        let mut rules = self.attached.rules.iter();
        rules.any(|(rule, _)| rule.may_be(kind, parent))
    }

    /// Whether `parent` does but stand round `node`: it has no other named child, those left aside
    /// that are attached, and comments.
    pub(crate) fn is_wrapped(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        if self.wrapped.holds(node, &[parent]).is_none() {
            return false;
        }
        let mut cursor = parent.walk();
        let mut children = parent.children(&mut cursor);
        children.all(|child| match child.is_named() {
            true => child == node || child.is_extra() || self.attached.begins_with(child.kind_id()),
            // Between brackets it is one of a group, though the only one.
            false => !matches!(child.kind(), "(" | "[" | "{"),
        })
    }

    /// Whether `node` is attached to a node that it is a part of.
    pub(crate) fn is_within(&self, node: Node<'_>) -> bool {
        self.within.holds(node, &[]).is_some()
    }

    /// Whether nodes may be wrapped in others.
    pub(crate) fn has_wrapped(&self) -> bool {
        !self.wrapped.rules.is_empty()
    }

    /// Returns whether a node of a type may merely wrap another node; most may not.
    pub(crate) fn may_wrap(&self, kind: u16) -> bool {
        let mut wrapped = self.wrapped.rules.iter();
        wrapped.any(|(captured, ())| captured.may_be_in(kind))
    }

    /// Whether there are bodies whose members are told by their column.
    pub(crate) fn has_columns(&self) -> bool {
        let mut bodies = self.bodies.rules.iter();
        bodies.any(|(_, body)| body.column)
    }

    /// Whether `node`, a comment that opens a file, is about the whole file.
    pub(crate) fn is_about_file(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.about_file.find(node, &[], text, &mut Vec::new());
        found.is_some()
    }

    /// Whether a comment that follows `node` may still be about the whole file.
    pub(crate) fn is_opening(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.openings.find(node, &[], text, &mut Vec::new());
        found.is_some()
    }

    /// Whether a comment in `node` may be about the whole file, though signs of `node` precede it.
    pub(crate) fn is_guard(&self, node: Node<'_>) -> bool {
        self.guards.holds(node, &[]).is_some()
    }

    /// Whether `node` is a comment that the grammar may put into the node before it.
    pub(crate) fn is_loose(&self, node: Node<'_>) -> bool {
        self.loose.holds(node, &[]).is_some()
    }

    /// Whether there are such comments.
    pub(crate) fn has_loose(&self) -> bool {
        !self.loose.rules.is_empty()
    }

    /// Whether `node` is a part of the node before it, though the grammar puts it behind that.
    pub(crate) fn is_tail(&self, node: Node<'_>) -> bool {
        self.tails.holds(node, &[]).is_some()
    }

    /// Whether `node` begins a tail.
    pub(crate) fn opens_tail(&self, node: Node<'_>) -> bool {
        self.tail_openings.holds(node, &[]).is_some()
    }

    /// Whether `node` begins a tail whose lines say the same however deep all stand; `text` gives the
    /// text of a node.
    pub(crate) fn opens_moving_tail(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.moving_openings.find(node, &[], text, &mut Vec::new());
        found.is_some()
    }

    /// Whether nobody sees `node` as one.
    pub(crate) fn is_unseen(&self, node: Node<'_>) -> bool {
        self.unseen.holds(node, &[]).is_some()
    }

    /// The signs that all begin with that stands elsewhere than the grammar puts it; nothing where some of
    /// it has none.
    pub(crate) fn signs_of_moved(&self) -> Option<Vec<&str>> {
        let others = self.tails.rules.len() + self.unseen.rules.len();
        let signs = self.loose.rules.iter().map(|(_, begins)| begins.as_deref());
        signs.collect::<Option<Vec<&str>>>().filter(|_| others == 0)
    }

    /// Whether nodes stand elsewhere than the grammar puts them, or nowhere.
    pub(crate) fn has_moved(&self) -> bool {
        self.has_loose() || !self.tails.rules.is_empty() || !self.unseen.rules.is_empty()
    }

    /// The list that `node` is, if it is one.
    pub(crate) fn list(&self, node: Node<'_>) -> Option<&List> {
        self.lists.holds(node, &[])
    }

    /// Whether `node`, a member of a list, needs no separator behind it.
    pub(crate) fn is_unseparated(&self, node: Node<'_>) -> bool {
        self.unseparated.holds(node, &[]).is_some()
    }

    /// Whether the members of `node` stand side by side.
    pub(crate) fn is_row(&self, node: Node<'_>) -> bool {
        self.rows.holds(node, &[]).is_some()
    }

    /// Whether `node` is a sign, though it has a name.
    pub(crate) fn is_sign(&self, node: Node<'_>) -> bool {
        self.signs.holds(node, &[]).is_some()
    }

    /// Whether `node` may end with a semicolon or do without.
    pub(crate) fn is_ended(&self, node: Node<'_>) -> bool {
        self.ended.holds(node, &[]).is_some()
    }

    /// Whether `node` stands in a list and is no member of it: a keyword that is a node of its own,
    /// a body.
    pub(crate) fn is_frame(&self, node: Node<'_>) -> bool {
        self.frames.holds(node, &[]).is_some()
    }

    /// The same where the parent is known, which spares the search for it.
    pub(crate) fn is_frame_in(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.frames.holds(node, &[parent]).is_some()
    }

    /// How it looks inside `node`, if things can be put into it.
    pub(crate) fn body(&self, node: Node<'_>) -> Option<&Body> {
        self.bodies.holds(node, &[])
    }

    /// Whether `node` is the inside of `parent`.
    pub(crate) fn is_body_of(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.body(node).is_some() || self.is_inner_body(node, &[parent])
    }

    /// Whether `node` is the inside of the first of `above`, of which each stands right in the one
    /// before.
    pub(crate) fn is_inner_body<'a>(&self, node: Node<'a>, above: &[Node<'a>]) -> bool {
        let rule = self
            .inner_bodies
            .rule(node, above, NO_TEXT, &mut Vec::new());
        rule.is_some_and(|(rule, ())| rule.above.len() == above.len())
    }

    /// Whether `node`, a child of `parent`, stays first in the body it begins; `text` gives the text
    /// of a node.
    pub(crate) fn is_head<'a>(&self, node: Node<'a>, parent: Node<'a>, text: TextOf<'_>) -> bool {
        let found = self.heads.find(node, &[parent], text, &mut Vec::new());
        found.is_some() || self.is_marker(node)
    }

    /// Whether `node`, a child of `parent`, belongs to the member before it.
    pub(crate) fn is_terminator(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.terminators.holds(node, &[parent]).is_some()
    }

    /// Whether a line that begins with `node` stands where it was written.
    pub(crate) fn is_unindented(&self, node: Node<'_>) -> bool {
        self.unindented.holds(node, &[]).is_some()
    }

    /// Whether the lines of `node` tell nothing of how deep others stand.
    pub(crate) fn is_unmeasured(&self, node: Node<'_>) -> bool {
        self.unmeasured.holds(node, &[]).is_some()
    }

    /// Whether `node`, a child of `parent`, may stand as deep as the line that one begins in.
    pub(crate) fn is_outdented(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.outdented.holds(node, &[parent]).is_some()
    }

    /// Returns whether a line that starts with `node`, a child of `parent`, may be as deep as the line `parent` starts in.
    pub(crate) fn is_flush(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.flush.holds(node, &[parent]).is_some()
    }

    /// Whether `node`, a child of `parent`, stands deeper than that with no bracket round it.
    pub(crate) fn is_deeper(&self, node: Node<'_>, parent: Node<'_>) -> bool {
        self.deeper.holds(node, &[parent]).is_some()
    }

    /// Whether lines may stand where they were written.
    pub(crate) fn has_unindented(&self) -> bool {
        !self.unindented.rules.is_empty()
    }

    /// Whether `node` begins the first line of a body and indents the others.
    pub(crate) fn is_marker(&self, node: Node<'_>) -> bool {
        self.markers.holds(node, &[]).is_some()
    }

    /// Whether the children of `node` count as those of its parent.
    pub(crate) fn is_transparent(&self, node: Node<'_>) -> bool {
        self.transparent.holds(node, &[]).is_some()
    }

    /// Whether nodes may be transparent.
    pub(crate) fn has_transparent(&self) -> bool {
        !self.transparent.rules.is_empty()
    }

    /// Whether `node` is a body that its indentation alone bounds.
    pub(crate) fn is_indented(&self, node: Node<'_>) -> bool {
        self.body(node).is_some_and(|body| body.indented)
    }

    /// Whether nodes begin with a marker: prose, in whose lines there may be code of any kind.
    pub(crate) fn has_markers(&self) -> bool {
        !self.markers.rules.is_empty()
    }

    /// Whether there are bodies in which a line that stands deeper goes on with the member before it.
    pub(crate) fn has_aligned(&self) -> bool {
        let mut bodies = self.bodies.rules.iter();
        bodies.any(|(_, body)| body.aligned)
    }

    /// Whether docs may stand behind what they belong to, on lines of their own.
    pub(crate) fn has_docs_behind(&self) -> bool {
        let mut attached = self.attached.rules.iter();
        attached.any(|(_, kind)| kind.stands != Stands::Before)
    }

    /// Whether indentation alone bounds bodies.
    pub(crate) fn has_indented(&self) -> bool {
        let mut bodies = self.bodies.rules.iter();
        bodies.any(|(_, body)| body.indented)
    }

    /// Whether the lines of `node` keep their bytes; `text` gives the text of a node.
    pub(crate) fn is_protected(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.protected.find(node, &[], text, &mut Vec::new());
        found.is_some()
    }

    /// Whether the lines of `node`, which are protected, say the same where all of them stand deeper or
    /// less deep by as much.
    pub(crate) fn moves_together(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.protected.find(node, &[], text, &mut Vec::new());
        found.copied().unwrap_or(false)
    }

    /// Whether `node` is code that the grammar leaves as one text.
    pub(crate) fn is_unparsed(&self, node: Node<'_>) -> bool {
        self.unparsed.holds(node, &[]).is_some()
    }

    /// Whether `node` ends with its first child; `text` gives the text of a node.
    pub(crate) fn is_void(&self, node: Node<'_>, text: TextOf<'_>) -> bool {
        let found = self.void.find(node, &[], text, &mut Vec::new());
        found.is_some()
    }

    /// Whether `node` is a word of prose.
    pub(crate) fn is_words(&self, node: Node<'_>) -> bool {
        self.words_of_prose.holds(node, &[]).is_some()
    }

    /// What the definitions of the language are: `function`, `struct`, `key`, ...
    pub(crate) fn symbol_kinds(&self) -> impl Iterator<Item = &str> {
        let definitions = self.definitions.rules.iter();
        let kinds = definitions.map(|(_, definition)| definition.kind);
        kinds.filter(|kind| *kind != NONE)
    }

    /// Whether definitions of the language have levels.
    pub(crate) fn has_levels(&self) -> bool {
        let mut definitions = self.definitions.rules.iter();
        definitions.any(|(_, definition)| definition.level.is_some())
    }

    /// Whether `node` bounds no definition that has a level.
    pub(crate) fn is_section(&self, node: Node<'_>) -> bool {
        self.sections.holds(node, &[]).is_some()
    }

    /// Whether `node`, where it ends another, belongs to the line after it.
    pub(crate) fn is_margin(&self, node: Node<'_>) -> bool {
        self.margins.holds(node, &[]).is_some()
    }

    /// The node of which `node` says that another language is in it, and which.
    pub(crate) fn injection<'a>(
        &self,
        node: Node<'a>,
        text: TextOf<'_>,
    ) -> Option<(Node<'a>, &'static Language)> {
        let mut captured = Vec::new();
        let injection = self.injections.find(node, &[], text, &mut captured)?;
        let of = |wanted: &str| {
            let found = captured.iter().find(|(capture, _)| *capture == wanted);
            found.map(|(_, node)| *node)
        };
        let language = match injection {
            Injection::Always(language) => language,
            Injection::Named => {
                let name = text(of("injection.language")?);
                // `rust,ignore`, `{.python}`
                let is_outer =
                    |c: char| matches!(c, '{' | '}' | '.' | '"' | '\'') || c.is_whitespace();
                let name = name.trim_matches(is_outer);
                let end = name.find(|c: char| matches!(c, ',' | ';') || c.is_whitespace());
                super::by_name(&name[..end.unwrap_or(name.len())])?
            }
        };
        Some((of("injection.content")?, language))
    }

    /// Whether nodes may end with the line breaks behind them.
    pub(crate) fn has_late(&self) -> bool {
        !self.late.rules.is_empty()
    }

    /// Whether nodes may be margins.
    pub(crate) fn has_margins(&self) -> bool {
        !self.margins.rules.is_empty()
    }

    /// Whether nodes may be margins or hold another language.
    pub(crate) fn has_margins_or_injections(&self) -> bool {
        !self.margins.rules.is_empty() || !self.injections.rules.is_empty()
    }

    /// Whether the language maps the general word at all.
    pub(crate) fn knows_word(&self, word: &str) -> bool {
        self.words.contains_key(word)
    }

    /// The general words that nodes of a type may be.
    pub(crate) fn words_of(&self, kind: u16) -> Vec<&'static str> {
        let words = GENERAL_WORDS.iter().copied();
        let bears = |word: &str| {
            self.words
                .get(word)
                .is_some_and(|one| one.begins_with(kind))
        };
        words.filter(|word| bears(word)).collect()
    }

    /// Whether `node`, a child of `parent`, is what the general word stands for.
    pub(crate) fn is_word(
        &self,
        word: &str,
        node: Node<'_>,
        parent: Option<Node<'_>>,
        text: TextOf<'_>,
    ) -> bool {
        let rules = self.words.get(word);
        let above = parent.as_slice();
        let stands = rules.and_then(|rules| rules.find(node, above, text, &mut Vec::new()));
        stands.copied().unwrap_or(false)
    }
}

impl Rule {
    fn list(&self) -> Result<List, QueryError> {
        let mut list = List {
            separator: ",".to_string(),
            members: Members::Nodes,
            opens: Opens::Inline,
            trailing: false,
            single: false,
            goes_when_empty: false,
            or_lines: false,
            other: None,
            optional: false,
            is_no_inside: false,
            leads: false,
        };
        for (key, value) in &self.settings {
            match (*key, value.as_str()) {
                ("separator", separator) => list.separator = separator.to_string(),
                ("other", other) => list.other = Some(other.to_string()),
                ("optional", "lines") => list.optional = true,
                ("inside", "none") => list.is_no_inside = true,
                ("begins", "lines") => list.leads = true,
                ("members", "runs") => list.members = Members::Runs,
                ("members", "alone") => list.members = Members::Alone,
                ("opens", "lines") => list.opens = Opens::Lines,
                ("opens", "around") => list.opens = Opens::Around,
                ("trailing", "lines") => list.trailing = true,
                ("single", "separated") => list.single = true,
                ("empty", "goes") => list.goes_when_empty = true,
                ("or", "lines") => list.or_lines = true,
                _ => return Err(self.unknown_setting(key, value)),
            }
        }
        Ok(list)
    }

    fn body(&self) -> Result<Body, QueryError> {
        let mut body = Body::default();
        for (key, value) in &self.settings {
            match (*key, value.as_str()) {
                ("members", "lines") => body.lines = true,
                ("members", "apart") => body.apart = true,
                ("members", "column") => (body.lines, body.column) = (true, true),
                ("members", "indented") => body.indented = true,
                ("members", "aligned") => body.aligned = true,
                ("spacing", "blank") => body.blank = true,
                ("spacing", "tall") => body.tall = true,
                ("after", sign) => body.after = Some(sign.to_string()),
                ("members", "prose") => body.prose = true,
                ("opens", "inline") => body.inline = true,
                ("between", "2") => body.between = Some(2),
                _ => return Err(self.unknown_setting(key, value)),
            }
        }
        Ok(body)
    }
}

/// Rules by the node type they begin with.
#[derive(Debug)]
struct Rules<T> {
    /// One bit per node type that a rule begins with: most nodes are asked about in vain.
    kinds: Vec<u64>,
    /// The rules that begin with a node type, by both.
    by_kind: Vec<(u16, usize)>,
    of_any_kind: Vec<usize>,
    rules: Vec<(Captured, T)>,
}

impl<T> Default for Rules<T> {
    fn default() -> Rules<T> {
        Rules {
            kinds: Vec::new(),
            by_kind: Vec::new(),
            of_any_kind: Vec::new(),
            rules: Vec::new(),
        }
    }
}

impl<T> Rules<T> {
    fn add(&mut self, captured: Captured, value: T) {
        let index = self.rules.len();
        match &captured.node.kinds {
            Some(kinds) => {
                for kind in kinds {
                    let word = usize::from(*kind / 64);
                    self.kinds.resize(self.kinds.len().max(word + 1), 0);
                    self.kinds[word] |= 1 << (kind % 64);
                    let behind = self.by_kind.partition_point(|(one, _)| one <= kind);
                    self.by_kind.insert(behind, (*kind, index));
                }
            }
            None => self.of_any_kind.push(index),
        }
        self.rules.push((captured, value));
    }

    fn begins_with(&self, kind: u16) -> bool {
        let word = self.kinds.get(usize::from(kind / 64)).copied();
        word.unwrap_or(0) & (1 << (kind % 64)) != 0
    }

    /// The first rule, of those that ask for no text, that holds for `node`.
    fn holds<'a>(&self, node: Node<'a>, above: &[Node<'a>]) -> Option<&T> {
        self.find(node, above, NO_TEXT, &mut Vec::new())
    }

    /// The first rule that holds for `node`. Where a rule names a node further up than the caller
    /// has at hand (`above`, the nearest last), the tree is asked.
    fn find<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> Option<&T> {
        let rule = self.rule(node, above, text, captured);
        rule.map(|(_, value)| value)
    }

    fn rule<'a>(
        &self,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
        captured: &mut Vec<(&'static str, Node<'a>)>,
    ) -> Option<&(Captured, T)> {
        if self.rules.is_empty() {
            return None;
        }
        if self.of_any_kind.is_empty() && !self.begins_with(node.kind_id()) {
            return None;
        }
        let kind = node.kind_id();
        let first = self.by_kind.partition_point(|(one, _)| *one < kind);
        let of_kind = self.by_kind[first..]
            .iter()
            .take_while(|(one, _)| *one == kind)
            .map(|(_, index)| index);
        for &index in of_kind.chain(&self.of_any_kind) {
            let (rule, _) = &self.rules[index];
            captured.clear();
            if rule.above_fits(node, above, text) && rule.node.matches(node, text, captured) {
                return Some(&self.rules[index]);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use serde_json::Value;

    use crate::language::{LANGUAGES, Language};

    use super::{Captured, Rules};

    /// What the grammar of a language says of its node types.
    fn node_types(language: &Language) -> &'static str {
        match language.name {
            #[cfg(feature = "lang-c")]
            "c" => tree_sitter_c::NODE_TYPES,
            #[cfg(feature = "lang-cpp")]
            "cpp" => tree_sitter_cpp::NODE_TYPES,
            #[cfg(feature = "lang-csharp")]
            "csharp" => tree_sitter_c_sharp::NODE_TYPES,
            #[cfg(feature = "lang-css")]
            "css" => tree_sitter_css::NODE_TYPES,
            #[cfg(feature = "lang-go")]
            "go" => tree_sitter_go::NODE_TYPES,
            #[cfg(feature = "lang-html")]
            "html" => tree_sitter_html::NODE_TYPES,
            #[cfg(feature = "lang-java")]
            "java" => tree_sitter_java::NODE_TYPES,
            #[cfg(feature = "lang-javascript")]
            "javascript" | "jsx" => tree_sitter_javascript::NODE_TYPES,
            #[cfg(feature = "lang-json")]
            "json" => tree_sitter_json::NODE_TYPES,
            #[cfg(feature = "lang-lua")]
            "lua" => tree_sitter_lua::NODE_TYPES,
            #[cfg(feature = "lang-php")]
            "php" => tree_sitter_php::PHP_NODE_TYPES,
            #[cfg(feature = "lang-python")]
            "python" => tree_sitter_python::NODE_TYPES,
            #[cfg(feature = "lang-rust")]
            "rust" => tree_sitter_rust::NODE_TYPES,
            #[cfg(feature = "lang-toml")]
            "toml" => tree_sitter_toml_ng::NODE_TYPES,
            #[cfg(feature = "lang-typescript")]
            "typescript" => tree_sitter_typescript::TYPESCRIPT_NODE_TYPES,
            #[cfg(feature = "lang-typescript")]
            "tsx" => tree_sitter_typescript::TSX_NODE_TYPES,
            #[cfg(feature = "lang-yaml")]
            "yaml" => tree_sitter_yaml::NODE_TYPES,
            other => panic!("what types are there in {other}?"),
        }
    }

    /// Of each node type the named types of its children, and of each supertype its subtypes.
    fn below(node_types: &str) -> HashMap<String, Vec<String>> {
        let types: Vec<Value> = serde_json::from_str(node_types).expect("a grammar writes JSON");
        let names = |of: &Value| -> Vec<String> {
            let all = of.as_array().into_iter().flatten();
            let named = all.filter(|one| one["named"] == true);
            named
                .filter_map(|one| one["type"].as_str().map(str::to_string))
                .collect()
        };
        let of_type = |one: &Value| {
            let fields = one["fields"].as_object().into_iter().flatten();
            let fields = fields.flat_map(|(_, field)| names(&field["types"]));
            let all = fields.chain(names(&one["children"]["types"]));
            all.chain(names(&one["subtypes"])).collect()
        };
        let named = types.iter().filter(|one| one["named"] == true);
        let named = named.filter_map(|one| Some((one["type"].as_str()?.to_string(), of_type(one))));
        named.collect()
    }

    fn kinds<T>(
        language: &Language,
        rules: &Rules<T>,
        node: impl Fn(&Captured) -> Vec<u16>,
    ) -> HashSet<String> {
        let grammar = language.grammar().expect("it has tables");
        let ids = rules.rules.iter().flat_map(|(rule, _)| node(rule));
        let names = ids.map(|id| grammar.node_kind_for_id(id).expect("a type of it"));
        names.map(str::to_string).collect()
    }

    /// Whatever the text, no definition is passed over with what is not looked into.
    #[test]
    fn no_grammar_has_a_definition_below_what_is_closed() {
        let mut held = 0;
        for language in LANGUAGES.iter() {
            let Some(tables) = language
                .tables()
                .filter(|tables| !tables.closed.rules.is_empty())
            else {
                continue;
            };
            assert!(
                tables.margins.rules.is_empty(),
                "{}: margins would be passed over",
                language.name
            );
            let below = below(node_types(language));
            // A definition of any type is known by what it stands in.
            let definitions = kinds(language, &tables.definitions, |rule| {
                let own = rule.node.kinds.clone();
                own.or_else(|| rule.above.first()?.node.kinds.clone())
                    .expect("a definition has a type or stands in one")
            });
            for closed in kinds(language, &tables.closed, |rule| {
                rule.node.kinds.clone().expect("a type")
            }) {
                let mut known: HashSet<&str> = HashSet::new();
                let mut open: Vec<&str> = below[&closed].iter().map(String::as_str).collect();
                while let Some(one) = open.pop() {
                    let is = format!("{}: ({one}) below ({closed})", language.name);
                    assert!(!definitions.contains(one), "{is} is a definition");
                    // Of another name for an expression nothing is said.
                    let is_said = one != "as_pattern_target";
                    if known.insert(one) && is_said {
                        open.extend(below.get(one).expect(&is).iter().map(String::as_str));
                    }
                }
                held += 1;
            }
        }
        let is_whole = cfg!(all(feature = "lang-rust", feature = "lang-python"));
        assert!(held > 20 || !is_whole, "{held} types are closed");
    }
}
