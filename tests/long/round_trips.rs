//! Inserting and then deleting a node, or deleting and then inserting it again, restores the bytes
//! of real files, and nothing else in them changes.
//!
//! The query files determine what to insert and delete, as tree-sitter itself reads them: the
//! members of lists, bodies and files, and the symbols of the outline.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use tree_sitter::StreamingIterator;
use treegraft::change::TextEdit;
use treegraft::edit::{self, Indent, InsertPosition, Operation};
use treegraft::language::{self, LANGUAGES, Language};
use treegraft::locate::{LineScope, Scope};
use treegraft::parse::Parsed;
use treegraft::preview::{FilePreview, preview};
use treegraft::select::{Selection, Selector, select};
use treegraft::source::{Source, Span};
use treegraft::validate::validate;

mod moves;
mod together;
mod wraps;

use crate::properties::real_files;
use crate::support::{is_full, is_left_out};

/// The number of nodes per node type and parent type: in one file, and in all files of a language.
const OF_A_KIND: usize = 2;
const OF_A_KIND_IN_ALL: usize = 4;

/// One of this number of files is tried without `TREEGRAFT_TEST_FULL=1`.
const SHARE: usize = 16;

/// Longer files cost more and contain nothing new.
const LONGEST_FILE: usize = 12 * 1024;

/// Separators between two members.
const SEPARATORS: [char; 5] = [',', ';', '+', '|', '&'];

/// Node types that the tests skip, because two such nodes may not be adjacent.
const SKIPPED: &[&str] = &[
    // The grammar makes it part of the rule before it, as if it were in its recipe.
    "conditional",
    // It must be the last member.
    "ellipses",
    "optional_formal_parameters",
    // They must start the file.
    "shebang",
    "hash_bang_line",
    "syntax",
    "edition",
    // It imports everything, so there is only one.
    "wildcard_import",
    // A label has one pattern and one condition; a method has one receiver, which is its first
    // parameter; a lambda has one default capture.
    "pattern",
    "guard",
    "receiver_parameter",
    "lambda_default_capture",
    // It ends a condition; followed by another branch, it has another tree.
    "preproc_elif",
    "preproc_elifdef",
    "preproc_else",
    // The token that ends it is a separator in the new content, but part of the node in the file.
    "postcss_statement",
    // The token that ends it is not a child of any enclosing node.
    "type_requirement",
    // In Go it is indented less than its siblings, and an adjacent insertion is too.
    "labeled_statement",
    // They must be the last members.
    "hash_splat_nil",
    "hash_splat_parameter",
    // It contains everything up to the next one.
    "from_instruction",
    // Its text follows the command.
    "heredoc_marker",
    // A YAML file has several only with separator lines between them, which belong to none of them.
    "document",
    // A Haskell file has one of each, and a constructor has one name.
    "header",
    "imports",
    "constructor",
];

/// Node types whose members the tests skip.
const SKIPPED_HOLDERS: &[&str] = &[
    // An import has one default name and one list.
    "import_clause",
    // A single name is not a list, and the grammar has no node for it.
    "left_assignment_list",
    "right_assignment_list",
    "open_tuple",
    // A comment before the root of a file may belong to the root.
    "prolog",
    // The grammar has keys and values in it, but no pairs.
    "dict_pattern",
    // A single value in it may not have siblings.
    "annotation_argument_list",
    // A grid is one value.
    "grid_value",
    // Paths are separated by colons.
    "paths",
    // Its variables are not in a list.
    "env_instruction",
    // The targets name a rule of Make.
    "targets",
    // In Swift everything in a body is one node.
    "function_body",
    "computed_property",
    // The members of a Scala extension are not in a node of their own.
    "extension_definition",
    "preproc_elif",
    "preproc_elifdef",
    "preproc_else",
];

/// Nothing is inserted as first or last child of these: their members are not in a list.
const SKIPPED_INSIDES: &[&str] = &["inherited_attrs"];

/// Returns whether the members of a node are skipped.
fn is_skipped(holder: tree_sitter::Node<'_>) -> bool {
    // An Elixir expression that follows an arrow on its line has no siblings.
    let follows_arrow = || {
        let of_clause = |parent: tree_sitter::Node<'_>| parent.kind() == "stab_clause";
        holder.kind() == "body" && holder.parent().is_some_and(of_clause)
    };
    // An XML file has one root.
    let is_of_root = holder.child_by_field_name("root").is_some();
    // The `;` between the arguments of Julia separates two lists.
    let mut cursor = holder.walk();
    let mut children = holder.children(&mut cursor);
    let is_of_arguments = ["argument_list", "tuple_expression"].contains(&holder.kind());
    // OCaml separates bindings by a word.
    let has_two =
        children.any(|child| child.kind() == "and" || is_of_arguments && child.kind() == ";");
    // Without brackets, one of two members is not a list.
    let is_row = ["sequence_expression", "tuple_expression", "tuple_pattern"];
    let is_bare_pair = is_row.contains(&holder.kind())
        && holder.named_child_count() == 2
        && holder.child(0).is_some_and(|one| one.is_named());
    let is_whole = has_two || is_bare_pair;
    SKIPPED_HOLDERS.contains(&holder.kind()) || is_of_root || follows_arrow() || is_whole
}

/// The query files of a language that determine where members are.
struct Facts {
    files: Vec<(tree_sitter::Query, &'static str)>,
}

impl Facts {
    fn of(language: &'static Language) -> Facts {
        let grammar = language.grammar().expect("the languages have a grammar");
        let roles = [
            "lists.scm",
            "bodies.scm",
            "attached.scm",
            "protected.scm",
            "kinds.scm",
        ];
        let files = language.query_files().iter();
        let files = files.filter(|file| roles.iter().any(|role| file.path.ends_with(role)));
        let read = |text| tree_sitter::Query::new(grammar, text).expect("tree-sitter compiles it");
        Facts {
            files: files.map(|file| (read(file.text), file.text)).collect(),
        }
    }

    fn marks(&self, tree: &tree_sitter::Tree, text: &str) -> Marks {
        let mut marks = Marks::default();
        let mut moving = HashSet::new();
        for (query, own) in &self.files {
            let mut cursor = tree_sitter::QueryCursor::new();
            let mut matches = cursor.matches(query, tree.root_node(), text.as_bytes());
            while let Some(one) = matches.next() {
                let pattern = one.pattern_index;
                let range =
                    query.start_byte_for_pattern(pattern)..query.end_byte_for_pattern(pattern);
                let setting = |key| {
                    let mut settings = query.property_settings(pattern).iter();
                    let setting = settings.find(|setting| &*setting.key == key)?;
                    setting.value.as_deref()
                };
                for capture in one.captures() {
                    let id = capture.node.id();
                    match query.capture_names()[capture.index as usize] {
                        // An arithmetic command contains one value.
                        "list" | "body"
                            if capture.node.child(0).is_some_and(|one| one.kind() == "((") => {}
                        "list" => {
                            marks.lists.insert(id);
                            if setting("members").is_some() {
                                marks.sparse.insert(id);
                            }
                            if own[range.clone()].contains("\",\")") {
                                marks.fleeting.insert(id);
                            }
                            if setting("single").is_some() {
                                marks.tuples.insert(id);
                            }
                            if setting("inside").is_some() {
                                marks.closed.insert(id);
                            }
                        }
                        "body" if is_of_root(&own[range.clone()]) => {
                            marks.bodies.insert(id);
                            if let Some(sign) = setting("after") {
                                marks.after.insert(id, sign.to_string());
                            }
                            match setting("members") {
                                Some("prose") => marks.prose.insert(id),
                                Some("indented") => marks.indented.insert(id),
                                _ => false,
                            };
                        }
                        "transparent" => {
                            marks.bodies.insert(id);
                            marks.excluded.insert(id);
                        }
                        // Text whose lines move together means the same elsewhere.
                        "protected" if setting("lines").is_some() => {
                            moving.insert(id);
                        }
                        "protected" => {
                            marks.protected.insert(id);
                        }
                        "frame" | "head" | "marker" | "margin" | "words" => {
                            marks.excluded.insert(id);
                        }
                        "expression" => {
                            marks.values.insert(id);
                        }
                        "statement" | "item" | "element" => {
                            marks.statements.insert(id);
                        }
                        name if name.starts_with("attached") => {
                            marks.attached.insert(id);
                        }
                        _ => {}
                    }
                }
            }
        }
        marks.protected.retain(|id| !moving.contains(id));
        marks
    }
}

/// What the query files say about the nodes of a file, by node id.
#[derive(Default)]
struct Marks {
    lists: HashSet<usize>,
    /// Lists in which only a node alone between two separators is a member.
    sparse: HashSet<usize>,
    /// Lists that exist only because of a separator, so not with one member.
    fleeting: HashSet<usize>,
    /// Lists that have a separator even after a single member.
    tuples: HashSet<usize>,
    /// Lists into which nothing is inserted as first or last child.
    closed: HashSet<usize>,
    bodies: HashSet<usize>,
    /// Bodies that contain prose.
    prose: HashSet<usize>,
    /// Bodies that are delimited by their indentation alone.
    indented: HashSet<usize>,
    /// The token that the members of a body follow.
    after: HashMap<usize, String>,
    /// Nodes in a list or a body that are not members.
    excluded: HashSet<usize>,
    attached: HashSet<usize>,
    protected: HashSet<usize>,
    values: HashSet<usize>,
    statements: HashSet<usize>,
}

impl Marks {
    fn is_holder(&self, node: tree_sitter::Node<'_>) -> bool {
        self.lists.contains(&node.id()) || self.bodies.contains(&node.id())
    }

    fn is_inside(&self, node: tree_sitter::Node<'_>) -> bool {
        let excluded = [&self.closed, &self.fleeting];
        self.is_holder(node) && excluded.iter().all(|nodes| !nodes.contains(&node.id()))
    }

    /// Returns the token that the members of a node follow.
    fn opening<'t>(&self, node: tree_sitter::Node<'t>) -> Option<tree_sitter::Node<'t>> {
        let mut cursor = node.walk();
        let mut children = node.children(&mut cursor);
        match self.after.get(&node.id()) {
            Some(sign) => children.find(|child| child.kind() == sign),
            None => children.find(|child| ["(", "[", "{", "<", "|"].contains(&child.kind())),
        }
    }
}

/// Returns whether the first capture of a pattern is its outermost node, not a child of it.
fn is_of_root(pattern: &str) -> bool {
    let ahead = pattern.split('@').next().unwrap_or_default();
    let open = ahead.matches(['(', '[']).count() - ahead.matches([')', ']']).count();
    let is_grouped = ahead.starts_with("((") || ahead.starts_with("([");
    open == usize::from(is_grouped)
}

/// A file for round trips.
struct File {
    parsed: Parsed,
    tree: tree_sitter::Tree,
    marks: Marks,
    outline: Vec<Vec<String>>,
    symbols: HashSet<(usize, usize)>,
}

impl File {
    fn new(parsed: Parsed, facts: &Facts) -> File {
        let tree = tree(&parsed);
        let marks = facts.marks(&tree, parsed.source().text());
        let symbols = parsed.outline().symbols().iter();
        let spans = symbols.map(|symbol| (symbol.node_span.start(), symbol.node_span.end()));
        File {
            symbols: spans.collect(),
            outline: outline(&parsed),
            parsed,
            tree,
            marks,
        }
    }

    fn text(&self) -> &str {
        self.parsed.source().text()
    }

    fn is_attached(&self, node: tree_sitter::Node<'_>) -> bool {
        is_comment(node) || self.marks.attached.contains(&node.id())
    }

    /// Returns the outermost attached node that contains the node.
    fn outermost_attached<'t>(&self, node: tree_sitter::Node<'t>) -> Option<tree_sitter::Node<'t>> {
        let ancestors = std::iter::successors(Some(node), |node| node.parent());
        ancestors.filter(|one| self.is_attached(*one)).last()
    }

    /// Returns whether siblings of the node can be inserted and deleted: in a list, in a body, or
    /// at the top level of the file.
    fn is_member(&self, node: tree_sitter::Node<'_>) -> bool {
        let Some(parent) = node.parent() else {
            return false;
        };
        let marks = &self.marks;
        let is_end = |one: Option<tree_sitter::Node<'_>>| {
            one.is_none_or(|one| ["(", "[", "{", ")", "]", "}", ","].contains(&one.kind()))
        };
        let is_alone = || is_end(node.prev_sibling()) && is_end(node.next_sibling());
        let is_in_brackets = || parent.named_child_count() == 1 && parent.child_count() == 3;
        let is_value = || {
            let id = &node.id();
            marks.values.contains(id) && !marks.statements.contains(id)
        };
        // A body on the line of its parent is put on its own lines, and stays there.
        let opens_up = |body: tree_sitter::Node<'_>| {
            let is_in_line = |above: tree_sitter::Node<'_>| {
                above.start_position().row == body.start_position().row
            };
            marks.indented.contains(&body.id()) && body.parent().is_some_and(is_in_line)
        };
        // Next to prose, the spaces around a node are prose too.
        let is_among_words = || {
            let (before, after) = self.text().split_at(node.start_byte());
            let before = before.rsplit('\n').next().unwrap_or_default();
            let after = &after[node.end_byte() - node.start_byte()..];
            let after = after.split('\n').next().unwrap_or_default();
            !before.trim().is_empty() || !after.trim().is_empty()
        };
        let fits = match parent.parent() {
            _ if marks.lists.contains(&parent.id()) => {
                (!marks.sparse.contains(&parent.id()) || is_alone())
                    && !(marks.tuples.contains(&parent.id()) && is_in_brackets())
            }
            _ if marks.prose.contains(&parent.id()) => !is_among_words(),
            _ if marks.bodies.contains(&parent.id()) => !is_value() && !opens_up(parent),
            None => parent.named_child_count() > 1 && !is_value(),
            Some(_) => false,
        };
        let has_holes = {
            let mut cursor = parent.walk();
            let signs: Vec<bool> = parent
                .children(&mut cursor)
                .map(|one| one.kind() == ",")
                .collect();
            signs.windows(2).any(|pair| pair == [true, true])
        };
        let sign = marks.opening(parent);
        // The only member of a list that is itself a list.
        let is_all_of_list = marks.lists.contains(&node.id())
            && marks.lists.contains(&parent.id())
            && marks.opening(node).is_none();
        fits && !is_all_of_list
            && !has_holes
            && !SKIPPED.contains(&node.kind())
            && !ends_its_block(node)
            && !is_skipped(parent)
            && node.is_named()
            && !node.is_extra()
            && !node.is_error()
            && !self.is_attached(node)
            && !marks.excluded.contains(&node.id())
            && sign.is_none_or(|sign| sign.end_byte() <= node.start_byte())
            && !self.text()[node.byte_range()].trim().is_empty()
    }

    fn members<'t>(&self, parent: tree_sitter::Node<'t>) -> Vec<tree_sitter::Node<'t>> {
        let mut cursor = parent.walk();
        let children = parent.named_children(&mut cursor);
        children.filter(|child| self.is_member(*child)).collect()
    }

    /// Returns the members of the body of a node, or of the node itself.
    fn inside<'t>(&self, node: tree_sitter::Node<'t>) -> Vec<tree_sitter::Node<'t>> {
        let body = node.child_by_field_name("body");
        let inside = [Some(node), body].into_iter().flatten();
        let mut inside = inside.filter(|one| self.marks.is_inside(*one));
        inside
            .next()
            .map(|one| self.members(one))
            .unwrap_or_default()
    }

    /// Returns a few nodes of each type, spread over the file.
    fn nodes<'t>(
        &'t self,
        trips: &mut Trips,
        is_wanted: impl Fn(tree_sitter::Node<'t>) -> bool,
    ) -> Vec<tree_sitter::Node<'t>> {
        let mut kinds: BTreeMap<(&str, &str), Vec<tree_sitter::Node<'t>>> = BTreeMap::new();
        for node in nodes(&self.tree).filter(|node| is_wanted(*node)) {
            let parent = node.parent().map_or("", |parent| parent.kind());
            kinds.entry((node.kind(), parent)).or_default().push(node);
        }
        let mut picked = Vec::new();
        for (kind, nodes) in kinds {
            let last = nodes.len() - 1;
            let step = last.div_ceil(OF_A_KIND - 1).max(1);
            let indices: BTreeSet<usize> = (0..last).step_by(step).chain([last]).collect();
            for index in indices {
                if trips.takes(kind) {
                    picked.push(nodes[index]);
                }
            }
        }
        picked
    }

    /// Returns whether a symbol of the outline is exactly this node.
    fn is_symbol(&self, node: tree_sitter::Node<'_>) -> bool {
        let is_same = |inner: tree_sitter::Node<'_>| inner.byte_range() == node.byte_range();
        let mut cursor = node.walk();
        let has_same = node.named_children(&mut cursor).any(is_same);
        let own = (node.start_byte(), node.end_byte());
        let is_skipped = node.parent().is_some_and(is_skipped);
        node.is_named() && self.symbols.contains(&own) && !has_same && !is_skipped
    }

    /// Returns whether the name of a symbol that contains the span changes with it.
    fn is_of_name(&self, span: Span) -> bool {
        let text = self.parsed.source().slice(span);
        let mut symbols = self.parsed.outline().symbols().iter();
        symbols.any(|symbol| {
            let is_enclosing = symbol.node_span.contains(span) && symbol.node_span != span;
            is_enclosing && (symbol.name_span.overlaps(span) || symbol.name.contains(&*text))
        })
    }

    /// Returns the nearest member that is the node or an ancestor, like an `export` statement
    /// around the exported item.
    fn member<'t>(&self, node: tree_sitter::Node<'t>) -> Option<tree_sitter::Node<'t>> {
        std::iter::successors(Some(node), |node| node.parent())
            .take_while(|one| !is_skipped(*one))
            .find(|one| self.is_member(*one))
    }

    fn is_followed_by_comment(&self, node: tree_sitter::Node<'_>) -> bool {
        let follows = |comment: tree_sitter::Node<'_>| {
            let between = self.text().get(node.end_byte()..comment.start_byte());
            is_comment(comment) && between.is_some_and(|between| between.trim().is_empty())
        };
        nodes(&self.tree).any(follows)
    }

    /// Returns whether the node shares a line with a sibling in a parent of several lines: then it
    /// is not known whether an inserted node would too.
    fn shares_line(&self, node: tree_sitter::Node<'_>) -> bool {
        let is_tall =
            |parent: tree_sitter::Node<'_>| parent.start_position().row < parent.end_position().row;
        let is_before =
            |one: tree_sitter::Node<'_>| one.end_position().row == node.start_position().row;
        let follows =
            |one: tree_sitter::Node<'_>| one.start_position().row == node.end_position().row;
        node.parent().is_some_and(is_tall)
            && (node.prev_named_sibling().is_some_and(is_before)
                || node.next_named_sibling().is_some_and(follows))
    }

    fn whole<'t>(&'t self, node: tree_sitter::Node<'t>) -> Option<Target<'t>> {
        self.target(self.member(node)?)
    }

    fn target<'t>(&'t self, node: tree_sitter::Node<'t>) -> Option<Target<'t>> {
        let selection = select_node(&self.parsed, node.byte_range(), node.kind())?;
        Some(Target {
            file: self,
            node,
            span: without(&self.parsed, selection.span(), &[',', ' ']),
            selection,
        })
    }
}

/// Returns all nodes of a tree that have text.
fn nodes(tree: &tree_sitter::Tree) -> impl Iterator<Item = tree_sitter::Node<'_>> {
    let mut open = vec![tree.root_node()];
    std::iter::from_fn(move || {
        let node = open.pop()?;
        let mut cursor = node.walk();
        let children: Vec<_> = node.children(&mut cursor).collect();
        open.extend(children.into_iter().rev());
        Some(node)
    })
    .filter(|node| !node.byte_range().is_empty())
}

/// A node of a file, and its span in the engine, without a trailing separator.
struct Target<'t> {
    file: &'t File,
    node: tree_sitter::Node<'t>,
    span: Span,
    selection: Selection<'t>,
}

impl Target<'_> {
    fn kind(&self) -> &str {
        self.node.kind()
    }

    /// Returns the text as it appears in the file, and as written at column 0 if that is
    /// unambiguous.
    fn forms(&self, text: &str) -> Vec<String> {
        let is_kept = |node: &tree_sitter::Node<'_>| {
            let is_inside = self
                .span
                .contains(Span::new(node.start_byte(), node.end_byte()));
            let is_tall = node.start_position().row < node.end_position().row;
            is_inside && is_tall && self.file.marks.protected.contains(&node.id())
        };
        let source = self.file.parsed.source();
        let flat = at_column_0(text, &source.indentation_at(self.span.start()));
        let mut forms = vec![text.to_string()];
        // Lines that are indented deeper than the node may be intended as they are.
        let margin = source.indentation_at(self.span.start());
        let mut lines = flat.lines().skip(1).filter(|line| !line.trim().is_empty());
        let is_clear = lines.any(|line| !line.starts_with(&margin));
        if flat != text && is_clear && !nodes(&self.file.tree).any(|node| is_kept(&node)) {
            forms.push(flat);
        }
        forms
    }

    /// Returns the terminators that follow the node but are not part of it.
    fn signs(&self) -> &str {
        let parent = self
            .file
            .member(self.node)
            .and_then(|member| member.parent());
        let is_ended = parent.is_some_and(|parent| !self.file.marks.lists.contains(&parent.id()));
        let following = &self.file.text()[self.span.end()..];
        let bare = following.trim_start_matches([';', ':']);
        if is_ended {
            &following[..following.len() - bare.len()]
        } else {
            ""
        }
    }

    /// Returns its text with another name, and its text.
    fn contents(&self) -> Vec<String> {
        let text = self.file.parsed.source().slice(self.span).into_owned() + self.signs();
        let mut contents = Vec::new();
        if let Some(name) = self.name() {
            let at = name.end - self.span.start() - 1;
            let mut other = text.clone();
            let letter = if other[at..].starts_with('q') {
                "z"
            } else {
                "q"
            };
            other.replace_range(at..at + 1, letter);
            contents.push(other);
        }
        contents.push(text);
        contents
    }

    /// Returns the range of its first word that is not a keyword.
    fn name(&self) -> Option<Range<usize>> {
        let is_name = |node: &tree_sitter::Node<'_>| {
            let range = node.byte_range();
            let text = &self.file.text()[range.clone()];
            let own = self.span.contains(Span::new(range.start, range.end));
            let is_word = text
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
            let kinds = [
                "identifier",
                "name",
                "key",
                "word",
                "content",
                "scalar",
                "value",
                "fragment",
            ];
            let is_name =
                kinds.iter().any(|kind| node.kind().contains(kind)) && node.kind() != "tag_name";
            own && is_name
                && node.is_named()
                && node.child_count() == 0
                && is_word
                && text.starts_with(|c: char| !c.is_ascii_digit())
        };
        let mut names = nodes(&self.file.tree).filter(is_name);
        names.next().map(|node| node.byte_range())
    }

    fn wrong(&self, what: &str, before: &str, after: &str) -> String {
        let diff = similar::TextDiff::from_lines(before, after);
        format!(
            "--- {} line {}: {} in {}: {what}\n{}",
            self.file.parsed.source().path(),
            self.node.start_position().row + 1,
            self.kind(),
            self.node.parent().map_or("nothing", |parent| parent.kind()),
            diff.unified_diff().context_radius(3)
        )
    }
}

/// Counts round trips, and keeps those that failed.
#[derive(Default)]
struct Trips {
    /// The maximum number of nodes of a type.
    of_a_kind: Option<usize>,
    made: usize,
    /// The number of trips that restored the exact bytes.
    exact: usize,
    refused: Vec<String>,
    wrong: Vec<String>,
    taken: BTreeMap<(String, String), usize>,
}

impl Trips {
    /// Returns whether a node of this type with this parent type is among the first ones.
    fn takes(&mut self, (kind, parent): (&str, &str)) -> bool {
        let kind = (kind.to_string(), parent.to_string());
        let taken = self.taken.entry(kind).or_default();
        *taken += 1;
        self.of_a_kind.is_none_or(|most| *taken <= most)
    }

    /// Fails unless `exact` percent restored the exact bytes; the others may differ in blank lines.
    fn report(self, of: &str, at_least: usize, exact: usize) {
        let Trips {
            made,
            refused,
            wrong,
            ..
        } = self;
        let shown: Vec<String> = wrong.iter().take(6).cloned().collect();
        assert!(
            wrong.is_empty(),
            "{of}: {} of {made} went wrong:\n{}",
            wrong.len(),
            shown.join("\n")
        );
        let shown: Vec<String> = refused.iter().take(6).cloned().collect();
        assert!(
            made >= at_least && refused.len() * 7 < made && self.exact * 100 >= exact * made,
            "{of}: {made} were made, {} exact, {} refused:\n{}",
            self.exact,
            refused.len(),
            shown.join("\n")
        );
    }
}

pub(crate) fn tree(parsed: &Parsed) -> tree_sitter::Tree {
    let grammar = parsed.source().language().grammar();
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(grammar.expect("the files have a grammar"))
        .expect("the grammar is compatible");
    let tree = parser.parse(parsed.source().text(), None);
    tree.expect("the text can be parsed")
}

/// Returns whether nothing may follow the node in its block, as for the `return` of Lua.
fn ends_its_block(node: tree_sitter::Node<'_>) -> bool {
    let mut root = node;
    while let Some(parent) = root.parent() {
        root = parent;
    }
    node.kind() == "return_statement" && root.kind() == "chunk"
}

fn is_comment(node: tree_sitter::Node<'_>) -> bool {
    node.kind().contains("comment")
}

/// Returns the span without trailing whitespace and separators.
fn bare(parsed: &Parsed, span: Span) -> Span {
    without(parsed, span, &[',', ';', ':', ' '])
}

fn without(parsed: &Parsed, span: Span, signs: &[char]) -> Span {
    let text = parsed.source().slice(span);
    let bare = text.trim_end().trim_end_matches(signs);
    Span::new(span.start(), span.start() + bare.len())
}

/// Selects the node of this type at `span`, ignoring a trailing separator.
pub(crate) fn select_at<'p>(parsed: &'p Parsed, span: Span, kind: &str) -> Option<Selection<'p>> {
    selected(parsed, span, kind)
        .into_iter()
        .find(|selection| bare(parsed, selection.span()) == bare(parsed, span))
}

/// Selects the node of this type at a range of the tree; the engine may see less of it.
fn select_node<'p>(parsed: &'p Parsed, range: Range<usize>, kind: &str) -> Option<Selection<'p>> {
    let span = bare(parsed, range.clone().into());
    let first = parsed.source().slice(span);
    let first = first.lines().next().unwrap_or_default().len();
    let anchors = [span, Span::new(span.start(), span.start() + first)];
    anchors.into_iter().find_map(|anchor| {
        let fits = |selection: &Selection<'_>| {
            selection.span().start() == span.start() && selection.span().end() <= range.end
        };
        let all = selected(parsed, anchor, kind).into_iter().filter(fits);
        all.max_by_key(|selection| selection.span().end())
    })
}

/// Returns the nodes of this type that the text at `span` may select.
fn selected<'p>(parsed: &'p Parsed, span: Span, kind: &str) -> Vec<Selection<'p>> {
    let source = parsed.source();
    let lines = LineScope::range(source.line_of(span.start()), source.line_of(span.end()));
    let selector = Selector {
        scope: lines.ok().map(Scope::Lines),
        ..Selector::new(&source.slice(span), kind)
    };
    match select(parsed, &selector) {
        Ok(selection) => vec![selection],
        Err(_) => {
            let of = |nth| Selector {
                nth: Some(nth),
                ..selector.clone()
            };
            (1..30)
                .map_while(|nth| select(parsed, &of(nth)).ok())
                .collect()
        }
    }
}

fn done(selection: Selection<'_>, operation: &Operation) -> Result<FilePreview, String> {
    let edited = edit::edit(selection, operation).map_err(|error| error.to_string())?;
    let checked = validate(edited, &[]).map_err(|rejected| format!("{:?}", rejected.failure()))?;
    Ok(preview(checked).0)
}

fn inserting(position: InsertPosition, content: &str) -> Operation {
    Operation::Insert {
        position,
        new_content: content.to_string(),
        indent: Indent::Auto,
        blank_lines: Default::default(),
    }
}

fn at_column_0(text: &str, margin: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.strip_prefix(margin).unwrap_or(line))
        .collect()
}

/// Returns the text without whitespace and separators.
fn substance(text: &str) -> String {
    text.chars()
        .filter(|c| !c.is_whitespace() && !SEPARATORS.contains(c))
        .collect()
}

/// Returns the text without whitespace.
fn solid(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Returns whether `long` is `short` with `more` inserted at one place.
fn is_with(long: &str, short: &str, more: &str) -> bool {
    let ahead = long
        .bytes()
        .zip(short.bytes())
        .take_while(|(long, short)| long == short)
        .count();
    long.len() == short.len() + more.len()
        && (0..=ahead).rev().any(|at| {
            long.get(at..).is_some_and(|rest| rest.starts_with(more))
                && short.get(at..) == long.get(at + more.len()..)
        })
}

/// Returns the paths of the symbols.
fn outline(parsed: &Parsed) -> Vec<Vec<String>> {
    let outline = parsed.outline();
    (0..outline.symbols().len())
        .map(|index| outline.short_path(index))
        .collect()
}

/// Returns whether `long` is `short` with entries inserted at one place.
fn is_with_some(long: &[Vec<String>], short: &[Vec<String>]) -> bool {
    let ahead = long
        .iter()
        .zip(short)
        .take_while(|(long, short)| long == short)
        .count();
    long.len() >= short.len() && {
        let following = short.len() - ahead;
        long[long.len() - following..] == short[ahead..]
    }
}

fn reparsed(parsed: &Parsed, text: &str) -> Parsed {
    let path = parsed.source().path();
    Parsed::parse(Source::new(
        path,
        language::for_file(path, text),
        text.to_string(),
    ))
}

/// Inserts and deletes again: the content with another name, or if that is refused an exact copy.
fn insert_and_delete(
    target: &Target<'_>,
    position: InsertPosition,
    of: &Target<'_>,
    trips: &mut Trips,
) {
    let mut refused = Vec::new();
    for content in of.contents() {
        let mut made = false;
        for form in of.forms(&content) {
            match try_insertion(target, position, &form, of.kind(), trips) {
                Ok(()) => made = true,
                Err(error) => {
                    let what = format!("{position:?} {form:?}: {error}");
                    refused.push(target.wrong(&what, "", ""));
                }
            }
        }
        if made {
            return;
        }
    }
    trips.refused.extend(refused.pop());
}

fn try_insertion(
    target: &Target<'_>,
    position: InsertPosition,
    content: &str,
    kind: &str,
    trips: &mut Trips,
) -> Result<(), String> {
    let parsed = &target.file.parsed;
    let before = target.file.text();
    let inserted = done(target.selection.clone(), &inserting(position, content))?;
    trips.made += 1;
    let after = reparsed(parsed, inserted.after().text());
    let text = after.source().text();
    let mut say = |what: &str, from: &str, to: &str| {
        let what = format!("{position:?} {content:?}: {what}");
        trips.wrong.push(target.wrong(&what, from, to));
    };
    if !is_with(&substance(text), &substance(before), &substance(content)) {
        say("more than the content changed", before, text);
    }
    let is_of_name = target.file.is_of_name(target.span);
    if !is_of_name && !is_with_some(&outline(&after), &target.file.outline) {
        say("other symbols changed", before, text);
    }
    let new = inserted.record().targets()[0].new_span();
    let Some(selection) = select_at(&after, new, kind) else {
        say("the inserted text is not such a node", before, text);
        return Ok(());
    };
    match done(selection, &Operation::Delete) {
        Err(error) => say(
            &format!("the inserted node cannot be deleted: {error}"),
            before,
            text,
        ),
        Ok(deleted) if deleted.after().text() == before => trips.exact += 1,
        // The original width of the gap cannot be known.
        Ok(deleted) if full_lines(deleted.after().text()) == full_lines(before) => {}
        Ok(deleted) => {
            say(
                "deleting it gave another text",
                before,
                deleted.after().text(),
            );
        }
    }
    Ok(())
}

/// Deletes a node and inserts it again next to each of its neighbors. Skips nodes that a comment
/// follows, and neighbors with a comment in between: it is not known where such a comment belongs.
fn delete_and_reinsert(target: &Target<'_>, trips: &mut Trips) {
    let file = target.file;
    let source = file.parsed.source();
    let before = source.text();
    let own = target.span;
    let deleted = match done(target.selection.clone(), &Operation::Delete) {
        Ok(deleted) => deleted,
        Err(error) => {
            trips.refused.push(target.wrong(&error, before, before));
            return;
        }
    };
    let after = reparsed(&file.parsed, deleted.after().text());
    if file.parsed.code_problem().is_some() && after.code_problem().is_none() {
        // What the parser of its language refuses cannot be inserted again.
        return;
    }
    let text = after.source().text();
    let replacements = deleted.record().replacements().to_vec();
    let text_edit = TextEdit::new(source, replacements).expect("the edit was made");
    let mut spans = text_edit.replacements().iter().map(|one| one.span);
    let Some(removed_span) = spans.find(|span| span.contains(own)) else {
        return;
    };
    let mut say = |what: &str, from: &str, to: &str| trips.wrong.push(target.wrong(what, from, to));
    if !is_with(
        &substance(before),
        &substance(text),
        &substance(&source.slice(removed_span)),
    ) {
        say("more than the node was removed", before, text);
    }
    if !file.is_of_name(own) && !is_with_some(&file.outline, &outline(&after)) {
        say("other symbols changed", before, text);
    }
    let member = file.member(target.node).unwrap_or(target.node);
    let whole = without(&file.parsed, member.byte_range().into(), &[]);
    let is_other = |node: &tree_sitter::Node<'_>| {
        // A terminator after a node belongs to it, even if it is a node too.
        let span = without(&file.parsed, node.byte_range().into(), &[';', ',']);
        let is_apart = !whole.contains(span) && !span.contains(whole);
        let is_leaf = node.named_child_count() == 0;
        node.is_named() && is_leaf && !span.is_empty() && removed_span.overlaps(span) && is_apart
    };
    let others: Vec<_> = nodes(&file.tree).filter(is_other).collect();
    let attached: Vec<_> = others
        .iter()
        .map(|node| file.outermost_attached(*node))
        .collect();
    if attached.iter().any(Option::is_none) {
        say("a removed node is not attached", before, text);
    }
    if others
        .iter()
        .any(|node| is_comment(*node) && node.start_byte() >= own.end())
    {
        return;
    }
    if !others.is_empty() && file.parsed.strict_problem().is_some() {
        // The file may already contain what a strict parser refuses, but an edit may not add it.
        return;
    }
    let attached = attached
        .into_iter()
        .flatten()
        .map(|one| one.start_byte())
        .min();
    if !removed_span.contains(without(&file.parsed, whole, &[',', ';', ' '])) {
        return;
    }
    let start = whole.start().min(attached.unwrap_or(whole.start()));
    let removed = Span::new(start, own.end() + target.signs().len());
    let contents = target.forms(&source.slice(removed));
    let is_pair = member
        .parent()
        .is_some_and(|parent| file.members(parent).len() == 2);
    for next in [false, true] {
        let Some(neighbor) = sibling(file, member, next) else {
            continue;
        };
        let between = match next {
            true => removed.end()..neighbor.span.start(),
            false => neighbor.span.end()..removed.start(),
        };
        let is_between = |node: tree_sitter::Node<'_>| {
            node.start_byte() >= between.start && node.end_byte() <= between.end
        };
        if nodes(&file.tree).any(|node| is_comment(node) && is_between(node)) {
            continue;
        }
        if !file.marks.lists.contains(&member.id())
            && (file.shares_line(member) || file.shares_line(neighbor.node))
        {
            continue;
        }
        let there = Span::new(
            text_edit.map(neighbor.span.start()),
            text_edit.map(neighbor.span.end()),
        );
        let position = match next {
            true => InsertPosition::Before,
            false => InsertPosition::After,
        };
        if neighbor.kind().starts_with("preproc") {
            // Separators between conditionally compiled members are inside the condition.
            continue;
        }
        if !may_be_adjacent(member, neighbor.node) {
            continue;
        }
        for content in &contents {
            let Some(selection) = select_at(&after, there, neighbor.kind()) else {
                continue;
            };
            // A list that only its separators make a list is none with one member.
            if parent_kind(&selection) != parent_kind(&neighbor.selection) {
                continue;
            }
            let what = format!(
                "reinserted {position:?} the {}: {content:?}",
                neighbor.kind()
            );
            trips.made += 1;
            match done(selection, &inserting(position, content)) {
                Err(error) => trips.wrong.push(target.wrong(
                    &format!("{what}: refused: {error}"),
                    before,
                    text,
                )),
                Ok(back) if back.after().text() == before => trips.exact += 1,
                Ok(back) if full_lines(back.after().text()) == full_lines(before) => {}
                // With one of two members, the file does not show how they were separated.
                Ok(back) if is_pair && solid(back.after().text()) == solid(before) => {}
                Ok(back) => {
                    let diff = target.wrong(&what, before, back.after().text());
                    trips.wrong.push(diff);
                }
            }
        }
    }
}

/// Returns whether two nodes may be adjacent: a semicolon between the values and the functions of
/// an enum belongs to neither.
fn may_be_adjacent(one: tree_sitter::Node<'_>, other: tree_sitter::Node<'_>) -> bool {
    let is_value = |node: tree_sitter::Node<'_>| node.kind() == "enum_entry";
    is_value(one) == is_value(other)
}

fn parent_kind(selection: &Selection<'_>) -> String {
    let chain = selection.chain();
    chain[chain.len() - 2].kind().to_string()
}

fn sibling<'t>(file: &'t File, node: tree_sitter::Node<'t>, next: bool) -> Option<Target<'t>> {
    let further = |node: &tree_sitter::Node<'t>| match next {
        true => node.next_named_sibling(),
        false => node.prev_named_sibling(),
    };
    let neighbor =
        std::iter::successors(further(&node), further).find(|one| !file.is_attached(*one))?;
    file.target(neighbor).filter(|_| file.is_member(neighbor))
}

fn test_insertions(file: &File, trips: &mut Trips) {
    for node in file.nodes(trips, |node| file.is_member(node) || file.is_symbol(node)) {
        let (Some(target), Some(whole)) = (file.target(node), file.whole(node)) else {
            continue;
        };
        for position in [InsertPosition::Before, InsertPosition::After] {
            insert_and_delete(&target, position, &whole, trips);
        }
    }
    // In a string every space counts.
    let is_in_string = |node: tree_sitter::Node<'_>| {
        let mut above = std::iter::successors(node.parent(), |node| node.parent());
        above.any(|one| file.marks.protected.contains(&one.id()))
    };
    let has_inside = |node: tree_sitter::Node<'_>| {
        let is_holder =
            file.marks.is_holder(node) && node.parent().is_some() && !is_in_string(node);
        (is_holder || file.is_symbol(node))
            && !file.marks.excluded.contains(&node.id())
            && !SKIPPED_INSIDES.contains(&node.kind())
    };
    for node in file.nodes(trips, has_inside) {
        let members = file.inside(node);
        let (Some(target), Some(first), Some(last)) =
            (file.target(node), members.first(), members.last())
        else {
            continue;
        };
        let ends = [
            (InsertPosition::FirstChild, first),
            (InsertPosition::LastChild, last),
        ];
        for (position, member) in ends {
            if position == InsertPosition::LastChild && file.is_followed_by_comment(*member) {
                // The comment would then belong to the inserted node.
                continue;
            }
            if let Some(member) = file.target(*member) {
                insert_and_delete(&target, position, &member, trips);
            }
        }
    }
}

fn test_deletions(file: &File, trips: &mut Trips) {
    // If a list is removed with its last member, the member cannot be inserted again.
    let is_movable = |node: tree_sitter::Node<'_>| {
        let parent = node.parent();
        let is_among = |parent: tree_sitter::Node<'_>| {
            let stay = if file.marks.fleeting.contains(&parent.id()) {
                2
            } else {
                1
            };
            file.members(parent).len() > stay
        };
        match file.is_member(node) {
            true => parent.is_some_and(is_among),
            false => {
                file.is_symbol(node) && parent.is_some_and(|parent| !file.marks.is_holder(parent))
            }
        }
    };
    for node in file.nodes(trips, is_movable) {
        if let Some(target) = file.target(node) {
            delete_and_reinsert(&target, trips);
        }
    }
}

fn short_files() -> Vec<Parsed> {
    let mut files = real_files();
    files.retain(|parsed| parsed.source().len() < LONGEST_FILE);
    let step = if is_full() { 1 } else { SHARE };
    files.into_iter().step_by(step).collect()
}

/// Returns how many trips over the project's own files must be made.
fn of_real_rust(all: usize) -> usize {
    if is_full() { all } else { all / SHARE / 2 }
}

/// Returns the sample of a language and its case files without errors.
fn files_of(language: &'static Language) -> Vec<Parsed> {
    let of_cases = texts_of_cases(language.name).into_iter();
    let (path, sample) = language.sample();
    // Sorted by path, the longest first, so that a new case does not change which files are used.
    let mut texts: Vec<(String, String)> = of_cases.collect();
    texts.sort_by(|one, other| (other.0.len(), one).cmp(&(one.0.len(), other)));
    texts.dedup_by(|one, other| one.0 == other.0);
    let all = [(sample.to_string(), path.to_string())]
        .into_iter()
        .chain(texts);
    // If separators start lines, the rest of a list does not show that.
    let begins_line = |line: &str| {
        let bare = line.trim();
        let rest = bare.trim_start_matches([',', ';']);
        rest != bare && !rest.is_empty()
    };
    let is_usual = |text: &str| text.len() < LONGEST_FILE && !text.lines().any(begins_line);
    all.filter(|(text, path)| language::for_file(path, text) == language && is_usual(text))
        .map(|(text, path)| Parsed::parse(Source::new(&path, language, text)))
        .filter(|parsed| parsed.problems().is_empty() && parsed.read_as_text().is_none())
        .collect()
}

fn trips_of(
    language: &'static Language,
    files: Vec<Parsed>,
    of_a_kind: Option<usize>,
    go: fn(&File, &mut Trips),
) -> Trips {
    let facts = Facts::of(language);
    let mut trips = Trips {
        of_a_kind,
        ..Trips::default()
    };
    for parsed in files {
        go(&File::new(parsed, &facts), &mut trips);
    }
    trips
}

/// Returns JSON files in every style, as people and programs write them.
fn json_files() -> Vec<Parsed> {
    let package = r#"{"name": "one", "version": "1.2.3", "private": true, "scripts": {"build": "tsc -p .", "test": "jest --ci"}, "files": ["dist", "src/*.ts"], "dependencies": {"left": "^1.0.0"}, "engines": {}}"#;
    let config = r#"{"compilerOptions": {"target": "es2022", "lib": ["dom", "es2022"], "paths": {"@/*": ["./src/*", "./lib/*"], "@x": []}, "strict": true}, "include": ["src"], "references": [{"path": "../a"}, {"path": "../b", "prepend": false}]}"#;
    let metadata = r#"[{"id": 1, "tags": [[1, 2], [3]], "target": {"kind": ["lib"], "src_path": "/a/b, {c}.rs", "edition": "2024"}}, {"id": 2, "tags": [], "target": null, "deps": [{"name": "é, ]", "req": "^1", "kind": null}]}]"#;
    let mut files = Vec::new();
    for (name, text) in [
        ("package", package),
        ("tsconfig", config),
        ("metadata", metadata),
    ] {
        let value: serde_json::Value = serde_json::from_str(text).expect("it is JSON");
        let pretty = |indent: &str| {
            let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
            let mut bytes = Vec::new();
            let mut serializer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
            serde::Serialize::serialize(&value, &mut serializer).expect("a value can be written");
            String::from_utf8(bytes).expect("JSON is UTF-8") + "\n"
        };
        let styles = [
            ("compact", value.to_string()),
            ("spaced", text.to_string()),
            ("two", pretty("  ")),
            ("four", pretty("    ")),
            ("tabs", pretty("\t")),
            ("crlf", pretty("  ").replace('\n', "\r\n")),
            ("bom", format!("\u{feff}{}", pretty(" ").trim_end())),
        ];
        for (style, text) in styles {
            let path = format!("{name}-{style}.json");
            let source = Source::new(&path, language::for_file(&path, &text), text);
            files.push(Parsed::parse(source));
        }
    }
    files
}

fn by_name(name: &str) -> &'static Language {
    LANGUAGES
        .iter()
        .find(|language| language.name == name)
        .expect("the language is built in")
}

/// Returns the number of nodes per type in all files of a language: the fewer types it has, the
/// more of each.
fn of_a_kind(language: &'static Language) -> usize {
    1 + 300 / language.node_types().len()
}

/// The languages that are tried without `TREEGRAFT_TEST_FULL=1`: with braces, and with indentation.
const SAMPLE: [&str; 2] = ["typescript", "python"];

/// Returns the languages that have a grammar and files of their own. Markdown has its own tests:
/// text next to a paragraph may become part of it.
fn languages() -> impl Iterator<Item = &'static Language> {
    let has_files = |language: &&Language| {
        let is_tried = is_full() || SAMPLE.contains(&language.name);
        is_tried
            && !language.is_inner()
            && language.grammar().is_some()
            && language.name != "markdown"
    };
    LANGUAGES.iter().filter(has_files)
}

/// The minimum number of trips for each language: those that insert, and those that delete.
const AT_LEAST: &[(&str, usize, usize)] = &[
    ("rust", 400, 100),
    ("json", 80, 20),
    ("python", 450, 170),
    ("javascript", 400, 150),
    ("jsx", 250, 90),
    ("typescript", 300, 100),
    ("tsx", 320, 110),
    ("toml", 110, 25),
    ("yaml", 70, 20),
    ("go", 400, 90),
    ("c", 280, 90),
    ("cpp", 300, 110),
    ("java", 600, 190),
    ("bash", 200, 60),
    ("html", 40, 15),
    ("vue", 20, 8),
    ("svelte", 20, 8),
    ("astro", 20, 8),
    ("css", 140, 40),
    ("ruby", 200, 150),
    ("php", 350, 140),
    ("lua", 300, 100),
    ("hcl", 50, 18),
    ("dockerfile", 80, 50),
    ("xml", 20, 8),
    ("elixir", 300, 80),
    ("make", 60, 4),
    ("nix", 60, 20),
    ("proto", 180, 60),
    ("r", 60, 20),
    ("zig", 60, 20),
    ("csharp", 250, 200),
    ("kotlin", 200, 120),
    ("swift", 300, 60),
    ("scala", 450, 130),
    ("dart", 450, 150),
    ("julia", 500, 120),
    ("ocaml", 230, 110),
    ("ocaml_interface", 60, 30),
    ("haskell", 100, 35),
];

/// The percentage of deleted and reinserted nodes that restore the exact bytes, if it is lower than
/// in most languages: blank lines around a node without siblings are removed with it.
const RESTORED_OF: &[(&str, usize)] = &[("php", 75), ("ocaml", 75), ("ocaml_interface", 70)];

fn at_least(language: &Language) -> (usize, usize) {
    let mut all = AT_LEAST.iter();
    let own = all.find(|(name, ..)| *name == language.name);
    own.map(|(_, inserting, deleting)| (*inserting, *deleting))
        .unwrap_or_else(|| panic!("{} has no minimum number of trips", language.name))
}

#[test]
fn deleting_an_insertion_restores_real_rust() {
    let most = Some(OF_A_KIND_IN_ALL);
    let trips = trips_of(by_name("rust"), short_files(), most, test_insertions);
    trips.report("src", of_real_rust(900), 99);
}

#[test]
fn deleting_an_insertion_restores_json_of_any_style() {
    let trips = trips_of(by_name("json"), json_files(), None, test_insertions);
    trips.report("JSON of any style", 600, 100);
}

#[test]
fn reinserting_restores_real_rust() {
    let most = Some(OF_A_KIND_IN_ALL);
    let trips = trips_of(by_name("rust"), short_files(), most, test_deletions);
    trips.report("src", of_real_rust(250), 95);
}

#[test]
fn reinserting_restores_json_of_any_style() {
    let trips = trips_of(by_name("json"), json_files(), None, test_deletions);
    trips.report("JSON of any style", 150, 100);
}

#[test]
fn deleting_an_insertion_restores_files_of_each_language() {
    for language in languages() {
        let most = Some(of_a_kind(language));
        let trips = trips_of(language, files_of(language), most, test_insertions);
        trips.report(language.name, at_least(language).0, 99);
    }
}

#[test]
fn reinserting_restores_files_of_each_language() {
    for language in languages() {
        let most = Some(of_a_kind(language));
        let trips = trips_of(language, files_of(language), most, test_deletions);
        let mut some = RESTORED_OF.iter();
        let own = some.find(|(name, _)| *name == language.name);
        let exact = own.map_or(80, |(_, exact)| *exact);
        trips.report(language.name, at_least(language).1, exact);
    }
}

/// Returns the texts of the cases of a language, with their paths.
fn texts_of_cases(language: &str) -> Vec<(String, String)> {
    let pages = crate::cases::pages().into_iter();
    let own = pages.filter(|page| page.language == language);
    let texts = own.flat_map(|page| page.texts);
    texts.map(|one| (one.text.to_string(), one.path)).collect()
}

/// Returns the project's own pages and the files of the Markdown cases.
#[expect(clippy::disallowed_methods, reason = "pages are files")]
fn markdown_files() -> Vec<Parsed> {
    let root = crate::support::repository();
    let read = |page: &&str| std::fs::read_to_string(root.join(page)).expect("a page is text");
    let of_cases = texts_of_cases("markdown").into_iter().map(|(text, _)| text);
    // Each trip parses the whole page.
    let pages: &[&str] = match is_full() {
        true => &["README.md", "docs/editing.md"],
        false => &["README.md"],
    };
    let mut texts: Vec<String> = pages.iter().map(read).chain(of_cases).collect();
    texts.sort();
    texts.dedup();
    let parsed = |text| Parsed::parse(Source::new("page.md", language::for_file("a.md", ""), text));
    texts.into_iter().map(parsed).collect()
}

/// Returns new content that a person would put next to a block: a block of the same type.
fn another_block(kind: &str, text: &str) -> Option<String> {
    let first = text.lines().next()?;
    let marker = first.len() - first.trim_start_matches(['-', '*', '+', '.', ')']).len();
    let digits = first.chars().take_while(char::is_ascii_digit).count();
    let hashes = first.chars().take_while(|c| *c == '#').count();
    match kind {
        "paragraph" => Some("Quite new words.".to_string()),
        "fenced_code_block" => Some("```text\nnew\n\n    code\n```".to_string()),
        "section" if hashes > 0 => Some(format!("{} New part\n\nText.", "#".repeat(hashes))),
        "pipe_table_row" => {
            let cells = first.trim().trim_matches('|').split('|').count();
            Some(format!("|{}", " new |".repeat(cells)))
        }
        "list_item" if digits > 0 => {
            let sign = first[digits..].chars().next()?;
            Some(format!("{}{sign} new item", &first[..digits]))
        }
        "list_item" if marker > 0 => Some(format!("{} new item", &first[..1])),
        _ => None,
    }
}

/// Returns the nonblank lines of a text, without quote markers.
fn full_lines(text: &str) -> Vec<&str> {
    let blank = |line: &&str| !line.trim_matches(['>', ' ', '\t']).is_empty();
    text.lines().map(str::trim_end).filter(blank).collect()
}

/// Returns the words of a text in alphabetical order, without quote markers.
fn words(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = text.split_whitespace().filter(|one| *one != ">").collect();
    words.sort_unstable();
    words
}

/// A block of a page.
struct Block {
    kind: String,
    span: Span,
    /// The bytes of its parent node.
    parent: std::ops::Range<usize>,
}

/// Returns the blocks of a page.
fn blocks(parsed: &Parsed) -> Vec<Block> {
    let tree = tree(parsed);
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let text = &parsed.source().text()[node.byte_range()];
        let start = node.start_byte() + (text.len() - text.trim_start().len());
        let bare = text.trim_matches(['>', ' ', '\t', '\n', '\r']);
        if another_block(node.kind(), bare).is_some() && text.trim_start().starts_with(bare) {
            found.push(Block {
                kind: node.kind().to_string(),
                span: Span::new(start, start + bare.len()),
                parent: node.parent().map_or(0..0, |parent| parent.byte_range()),
            });
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}

/// Selects the block of this type at `span`.
fn block_at<'p>(parsed: &'p Parsed, span: Span, kind: &str) -> Option<Selection<'p>> {
    let source = parsed.source();
    let first = source.slice(span);
    let line = LineScope::line(source.line_of(span.start())).ok()?;
    let of = |nth| Selector {
        scope: Some(Scope::Lines(line)),
        nth: Some(nth),
        ..Selector::new(first.lines().next().unwrap_or_default(), kind)
    };
    (1..10)
        .map_while(|nth| select(parsed, &of(nth)).ok())
        .find(|selection| selection.span() == span)
}

#[test]
fn deleting_an_inserted_block_restores_real_markdown() {
    let (mut made, mut exact, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for parsed in markdown_files() {
        let before = parsed.source().text();
        for Block { kind, span, .. } in blocks(&parsed) {
            let own = parsed.source().slice(span).into_owned();
            let content = another_block(&kind, &own).expect("blocks are of these kinds");
            for position in [InsertPosition::Before, InsertPosition::After] {
                let Some(selection) = block_at(&parsed, span, &kind) else {
                    continue;
                };
                let Ok(inserted) = done(selection, &inserting(position, &content)) else {
                    refused += 1;
                    continue;
                };
                let after = reparsed(&parsed, inserted.after().text());
                let new = inserted.record().targets()[0].new_span();
                let text = after.source().text();
                if words(text) != words(&format!("{before}\n{content}")) {
                    wrong.push(format!(
                        "{kind} {position:?}:\n{before}\n--- became\n{text}"
                    ));
                    continue;
                }
                let Some(selection) = block_at(&after, new, &kind) else {
                    continue;
                };
                let Ok(deleted) = done(selection, &Operation::Delete) else {
                    refused += 1;
                    continue;
                };
                made += 1;
                let restored = deleted.after().text();
                exact += usize::from(restored == before);
                if full_lines(restored) != full_lines(before) {
                    wrong.push(format!(
                        "{kind} {position:?}:\n{before}\n--- left\n{restored}"
                    ));
                }
            }
        }
    }
    let shown: Vec<String> = wrong.iter().take(4).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {made} went wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(
        made > 300 && exact * 100 >= made * 95 && refused * 5 < made,
        "{made} were made, {exact} exact, {refused} refused"
    );
}

#[test]
fn reinserting_a_block_restores_real_markdown() {
    let (mut made, mut exact, mut refused) = (0, 0, 0);
    let mut wrong = Vec::new();
    for parsed in markdown_files() {
        let before = parsed.source().text();
        let all = blocks(&parsed);
        for (index, Block { kind, span, parent }) in all.iter().enumerate() {
            let Some(selection) = block_at(&parsed, *span, kind) else {
                continue;
            };
            let mut earlier = all[..index].iter().rev();
            let previous = earlier.find(|one| {
                let precedes = one.parent == *parent && one.span.end() <= span.start();
                one.kind == *kind && precedes
            });
            let own = parsed.source().slice(*span).into_owned();
            let Some(neighbour) = previous.map(|previous| previous.span) else {
                continue;
            };
            let between = Span::new(neighbour.end(), span.start());
            let near = parsed.source().slice(between);
            if !near.trim_matches(['>', ' ', '\t', '\n', '\r']).is_empty() {
                continue;
            }
            let Ok(deleted) = done(selection, &Operation::Delete) else {
                refused += 1;
                continue;
            };
            let after = reparsed(&parsed, deleted.after().text());
            let Some(selection) = block_at(&after, neighbour, kind) else {
                continue;
            };
            let Ok(back) = done(selection, &inserting(InsertPosition::After, &own)) else {
                refused += 1;
                continue;
            };
            made += 1;
            let restored = back.after().text();
            exact += usize::from(restored == before);
            if full_lines(restored) != full_lines(before) {
                wrong.push(format!("{kind}:\n{before}\n--- left\n{restored}"));
            }
        }
    }
    let shown: Vec<String> = wrong.iter().take(4).cloned().collect();
    assert!(
        wrong.is_empty(),
        "{} of {made} went wrong:\n{}",
        wrong.len(),
        shown.join("\n")
    );
    assert!(
        made >= 50 && exact * 100 >= made * 90 && refused * 5 < made,
        "{made} were made, {exact} exact, {refused} refused"
    );
}
