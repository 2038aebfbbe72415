//! Marks: captures that state a fact about a node and carry no value.
//!
//! A new mark is an entry in `marks!`.

use tree_sitter::Node;

use super::rule::QueryRule;
use super::rule_set::RuleSet;
use super::{NO_TEXT, QueryError, Tables, TextOf};

/// Declares the marks: each with the files and captures that give it to a node.
macro_rules! marks {
    ($($(#[$doc:meta])+ $mark:ident: $($file:ident @$capture:ident),+;)+) => {
        /// A fact about a node.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mark {
            $($(#[$doc])+ $mark,)+
        }

        /// The file, the capture in it, and the mark that the captured node gets.
        const CAPTURES: &[(&str, &str, Mark)] =
            &[$($((stringify!($file), stringify!($capture), Mark::$mark),)+)+];

        /// The number of marks.
        const COUNT: usize = [$(Mark::$mark),+].len();
    };
}

marks! {
    /// It precedes a definition and belongs to the range of that definition.
    Leading: tags @leading;
    /// It is on the path from a node captured as `@name` down to the name itself.
    Named: tags @named;
    /// It does not bound a definition that has a level.
    Section: tags @section;
    /// It contains no definition.
    Closed: tags @closed;
    /// The symbols of the tree inside it are symbols of the file.
    Listed: tags @listed;
    /// Its parent may merely wrap it, with keywords and attached nodes.
    Wrapped: attached @wrapped;
    /// It is a comment about the whole file if it is at the start of the file.
    AboutFile: attached @file;
    /// It is a statement of another kind that imports, such as `const fs = require("fs")`.
    Import: attached @import;
    /// It may precede a comment about the whole file.
    Opening: attached @opening;
    /// It may enclose the whole file, as `#ifndef LIST_H` does, so its tokens may precede a comment about the file.
    Guard: attached @guard;
    /// It is a comment that the grammar may put into the preceding node.
    Loose: attached @loose;
    /// It is part of the preceding node, but the grammar puts it after that node.
    Tail: attached @tail;
    /// A tail belongs to it, such as the text of a heredoc.
    TailOpening: attached @opens;
    /// It is attached to the node that contains it, such as an annotation in Java.
    Within: attached @within;
    /// No walk shows it.
    Unseen: attached @unseen;
    /// It is the value of a pair of data, which content without a key replaces.
    Value: kinds @value;
    /// It is a member of a list and needs no separator after it.
    Unseparated: lists @unseparated;
    /// It is in a list or a body and is not a member.
    Frame: lists @frame, bodies @frame;
    /// It may end with a semicolon or without one.
    Ended: lists @ended;
    /// It is a sign that the grammar gives a name.
    Separator: lists @separator;
    /// Only spaces separate its members, which are on one line.
    Row: lists @row;
    /// It starts the first line of a body and indents the other lines, such as a list marker.
    Marker: bodies @marker;
    /// It starts a body and stays first in it.
    Head: bodies @head, bodies @marker;
    /// Each line of the body that it starts begins with it (`#set! begins` gives it), such as `>` of a quote.
    LineSign: bodies @line_sign;
    /// It is an item that may be as deep as its parent's key. `#set! begins` gives the sign that it starts with.
    FlushItem: bodies @flush_item;
    /// It is a keyword that starts a clause of a statement, such as `catch`.
    Clause: bodies @clause, bodies @later_clause, bodies @last_clause;
    /// It starts a clause that follows the others and occurs once, such as `else`.
    LaterClause: bodies @later_clause, bodies @last_clause;
    /// It starts a clause that follows even these, such as `finally`.
    LastClause: bodies @last_clause;
    /// It is a sign that belongs to the preceding member.
    Terminator: bodies @terminator;
    /// It is a further branch of its parent, such as the `else` of an `if`, in a grammar that puts the members of the first
    /// one into the parent itself or makes them its only body.
    Branch: bodies @branch;
    /// A line that starts with it is never re-indented.
    Unindented: bodies @unindented;
    /// It may end with the line breaks that follow it.
    Late: bodies @late;
    /// Its lines do not show how deep other lines are.
    Unmeasured: bodies @unmeasured;
    /// It may be as deep as the line in which its parent starts.
    Outdented: bodies @outdented;
    /// A line that starts with it may be as deep as the line in which its parent starts, or deeper, so it does not show
    /// how deep lines are.
    Flush: bodies @flush;
    /// It is deeper than its parent without being enclosed in brackets.
    Deeper: bodies @deeper;
    /// It belongs to the following line, even where a node ends with it.
    Margin: bodies @margin;
    /// Its children count as children of its parent.
    Transparent: bodies @transparent;
    /// It ends with its first child, even where the grammar adds more.
    Void: bodies @void;
    /// The grammar uses it for wrong code.
    Mistake: bodies @mistake;
    /// A line break ends it after its keyword, even if the next line continues it.
    EndsWithLine: bodies @ends_with_line;
    /// It is text in prose.
    Words: bodies @words;
    /// A tail belongs to it whose lines keep their meaning when all of them are re-indented together.
    MovingTailOpening: protected @moves;
    /// The text of a here-document belongs to it, up to the line of the word after its sign (`#set! begins` gives it).
    HeredocOpening: protected @opens_heredoc;
    /// Its tokens are code of the same language, such as the arguments of a macro, if they parse with the text of
    /// `#set! ends` after them.
    ParsedTokens: injections @tokens;
    /// It is the word that ends the text of a here-document.
    HeredocEnd: protected @ends_heredoc;
    /// The language requires parentheses around it there, although the grammar does not.
    Parenthesized: kinds @parenthesized;
    /// The same where a statement starts with it.
    ParenthesizedFirst: kinds @parenthesized_first;
    /// It is code that the grammar does not parse, such as the body of a C macro.
    Code: protected @code;
    /// It is a name.
    ScopedName: imports @name;
    /// It is a name that no scope binds, such as that of an attribute.
    MemberName: imports @member;
    /// It binds names for itself and its descendants.
    Scope: imports @scope;
    /// It binds a name in the scope that contains its own.
    BindsOutside: imports @binds_outside;
    /// It uses names of the scope that contains its own.
    Outside: imports @outside;
    /// It binds the names in it.
    Binds: imports @binds;
    /// It contains the names of a binding, such as a tuple.
    NamePattern: imports @pattern;
    /// It imports or exports names of another file.
    ImportStatement: imports @statement;
    /// It is the module that a statement imports from.
    ImportedModule: imports @module;
    /// It imports all names.
    ImportStar: imports @star;
    /// It is the name that a whole module gets.
    ImportNamespace: imports @namespace;
    /// It accesses a member of a value: the first child is the value.
    MemberAccess: imports @access;
    /// It binds names that are visible after it.
    BindsAfter: imports @binds_after;
    /// It states the package of its file.
    PackageClause: imports @package;
    /// It contains several import statements, each on a line.
    ImportList: imports @import_list;
    /// It is a value that is computed before the program starts.
    InitialValue: imports @initial;
}

impl Mark {
    /// Returns whether its rules may test the text of a node.
    fn may_test_text(self) -> bool {
        use Mark::{
            AboutFile, Head, Import, Mistake, MovingTailOpening, Opening, Terminator, Void,
        };
        let of_parse = matches!(self, Head | Mistake | MovingTailOpening | Terminator | Void);
        of_parse || matches!(self, AboutFile | Import | Opening)
    }

    /// Returns the setting with the text that a marked node starts with, is parsed with, or is on the line before it, if its
    /// rules have one.
    fn setting(self) -> Option<&'static str> {
        match self {
            Mark::FlushItem
            | Mark::HeredocOpening
            | Mark::LineSign
            | Mark::Loose
            | Mark::Unseen => Some("begins"),
            Mark::Tail => Some("below"),
            Mark::ParsedTokens => Some("ends"),
            _ => None,
        }
    }
}

/// The rules of each mark, indexed by the mark.
#[derive(Debug)]
pub(super) struct Marks([RuleSet<()>; COUNT]);

impl Default for Marks {
    fn default() -> Marks {
        Marks(std::array::from_fn(|_| RuleSet::default()))
    }
}

impl Marks {
    pub(super) fn rules(&self, mark: Mark) -> &RuleSet<()> {
        &self.0[mark as usize]
    }
}

impl Tables {
    /// Adds a rule of a file if it captures a mark, else returns it.
    pub(super) fn add_mark(
        &mut self,
        file: &str,
        rule: QueryRule,
    ) -> Result<Option<QueryRule>, QueryError> {
        let mut captures = CAPTURES.iter().filter(|(of, ..)| *of == file);
        let Some((_, capture, mark)) =
            captures.find(|(_, capture, _)| rule.captures.contains(capture))
        else {
            return Ok(Some(rule));
        };
        if !mark.may_test_text() {
            rule.refuse_text()?;
        }
        rule.allow_captures(&[capture])?;
        rule.allow_settings(mark.setting().as_slice())?;
        if let Some(setting) = mark.setting() {
            self.starts.push((*mark, rule.setting(setting)));
        }
        let pattern = rule.captured_at(capture)?;
        // A capture may give several marks.
        for (.., other) in captures.filter(|(_, other, _)| other == capture) {
            self.marks.0[*other as usize].add(pattern.clone(), ());
        }
        self.marks.0[*mark as usize].add(pattern, ());
        Ok(None)
    }

    /// Refuses a rule of `imports.scm` that has none of its marks.
    pub(super) fn add_import(&mut self, rule: QueryRule) -> Result<(), QueryError> {
        rule.allow_captures(&[])?;
        Err(rule.error("the rule captures nothing"))
    }

    /// Returns the texts of the setting of `mark`, such as those that its nodes start with, one for each rule; `None` for a rule
    /// that gives none.
    pub(crate) fn starts_of(&self, mark: Mark) -> impl Iterator<Item = Option<&str>> {
        let of_mark = self.starts.iter().filter(move |(of, _)| *of == mark);
        of_mark.map(|(_, start)| start.as_deref())
    }

    /// Returns the words that each node with `mark` starts with one of; `None` if a rule does not name them.
    pub(crate) fn texts_of(&self, mark: Mark) -> Option<Vec<&str>> {
        let rules = self.marks.rules(mark).patterns();
        let words: Option<Vec<_>> = rules.map(|rule| rule.node.words()).collect();
        let mut words = words?.concat();
        words.sort_unstable();
        words.dedup();
        Some(words)
    }

    /// Returns whether a rule gives `mark` to nodes of a type.
    pub(crate) fn has_type(&self, mark: Mark, kind: u16) -> bool {
        self.marks.rules(mark).names_kind(kind)
    }

    /// Returns whether a node can have `mark`.
    pub(crate) fn uses(&self, mark: Mark) -> bool {
        !self.marks.rules(mark).is_empty()
    }

    /// Returns whether `node` has `mark`, by rules that test no text.
    #[inline]
    pub(crate) fn has(&self, mark: Mark, node: Node<'_>) -> bool {
        assert!(!mark.may_test_text(), "{mark:?} needs a text");
        self.has_below(mark, node, &[], NO_TEXT)
    }

    /// Returns whether `node` has `mark`. `above` are its ancestors as far as the caller knows them, the nearest last;
    /// `text` returns the text of a node.
    #[inline]
    pub(crate) fn has_below<'a>(
        &self,
        mark: Mark,
        node: Node<'a>,
        above: &[Node<'a>],
        text: TextOf<'_>,
    ) -> bool {
        self.marks.rules(mark).value(node, above, text).is_some()
    }
}
