//! The text of edits that were previewed, written, listed or discarded.

use std::fmt::Write;

use serde_json::json;

use super::super::questions::ProblemsChanged;
use super::super::{
    Answer, CallText, EditAction, EditDiscarded, EditList, EditMade, EditStatus, EditsForgotten,
    FileEdited, Generalized, MatchCounts, MatchRefused, NodeEdited, OtherPattern, PatternMatch,
};
use super::{push_notes, push_omitted};
use crate::diagnostic::{ExitStatus, counted, discarded_text};
use crate::preview;

/// The maximum number of files of a rewrite in a text.
const FILES_SHOWN: usize = 50;
/// The maximum number of line numbers in a line of the text of a written edit.
const LINES_SHOWN: usize = 12;

impl Answer for EditMade {
    fn exit_status(&self) -> ExitStatus {
        if self.status == EditStatus::RebaseProposed {
            return ExitStatus::Refused;
        }
        let refused = self.matches.as_ref();
        match refused.is_some_and(|matches| matches.refused_total > 0) {
            true => ExitStatus::Partly,
            false => ExitStatus::Done,
        }
    }

    fn text_with(&self, call_text: CallText<'_>) -> String {
        let mut text = String::new();
        if let Some(generalized) = &self.generalized {
            generalized.push_to(&mut text);
        }
        if let Some(matches) = &self.matches {
            self.push_matches(&mut text, matches);
        }
        let listed = match &self.matches {
            Some(_) => &[],
            None => self.files.as_slice(),
        };
        let is_shown =
            |(index, file): &(usize, &FileEdited)| *index < FILES_SHOWN || file.diff.is_some();
        let mut shown = 0;
        for (_, file) in listed.iter().enumerate().filter(is_shown) {
            self.push_changes(&mut text, file);
            shown += 1;
        }
        push_omitted(&mut text, "", listed.len() - shown, "more files");
        push_notes(&mut text, &self.notes);
        let diffs = self.files.iter().filter_map(|file| file.diff.as_deref());
        let diffs = preview::in_one_patch(diffs.filter(|diff| !diff.is_empty()));
        for diff in &diffs {
            let _ = write!(text, "\n{diff}");
        }
        if let Some(ProblemsChanged { before, after, new }) = &self.diagnostics {
            let _ = writeln!(
                text,
                "\nproblems: {before} before, {after} after, {} new",
                new.len()
            );
            for problem in new {
                problem.push_to(&mut text);
            }
        }
        if let Some(generalized) = &self.generalized {
            generalized.push_others_to(&mut text, call_text);
        }
        if !diffs.is_empty() {
            text.push('\n');
        }
        self.push_status(&mut text, call_text);
        text
    }
}

impl EditMade {
    /// Appends whether the edit is written, and the call that may follow.
    fn push_status(&self, text: &mut String, call_text: CallText<'_>) {
        let edit_id = &self.edit_id;
        let apply = || call_text("apply_edit", &json!({"edit_id": edit_id}));
        let _ = match self.status {
            EditStatus::Applied => writeln!(text, "applied as edit {edit_id}"),
            EditStatus::Rebased => writeln!(
                text,
                "applied as edit {edit_id}, rebased: other parts of the file changed since the preview"
            ),
            EditStatus::Undone => writeln!(
                text,
                "undone: the text before the edit is restored; this applies the edit again:\n  {}",
                apply()
            ),
            EditStatus::UndoPreviewed => writeln!(
                text,
                "nothing is written yet; this undoes the edit:\n  {}",
                call_text("undo_edit", &json!({"edit_id": edit_id}))
            ),
            EditStatus::RebaseProposed => writeln!(
                text,
                "rebase_proposed: nothing is written, because code around the edit changed since the preview; if the diff \
                 above is still right, this writes it:\n  {}",
                apply()
            ),
            EditStatus::Unchanged | EditStatus::Discarded => Ok(()),
            _ if self.needs_approval => writeln!(
                text,
                "nothing is written until the user approves it:\n  treegraft apply {edit_id}"
            ),
            EditStatus::Previewed | EditStatus::Refused => writeln!(
                text,
                "nothing is written yet; this writes it:\n  {}",
                apply()
            ),
        };
    }

    /// Appends the numbers of the matches of a rewrite, and a line for each of the first files.
    fn push_matches(&self, text: &mut String, matches: &MatchCounts) {
        let files = counted(self.files.len(), "file");
        let MatchCounts {
            found, replaced, ..
        } = *matches;
        let noun = matches_noun(found);
        let _ = match (self.status, found) {
            (EditStatus::Unchanged, 0) => writeln!(text, "unchanged: there is no match"),
            (EditStatus::Unchanged, _) => {
                writeln!(text, "unchanged: none of {found} {noun} changes")
            }
            (EditStatus::Previewed, _) => {
                writeln!(
                    text,
                    "would rewrite {replaced} of {found} {noun} in {files}"
                )
            }
            _ => writeln!(text, "rewrote {replaced} of {found} {noun} in {files}"),
        };
        let others = [
            (matches.unchanged, "equal to the replacement already"),
            (matches.left_out, "left out"),
            (
                matches.nested,
                "inside another match, and rewritten with it",
            ),
            (matches.refused_total, "refused"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            let verb = if count == 1 { "is" } else { "are" };
            let _ = writeln!(text, "{count} {} {verb} {what}", matches_noun(count));
        }
        for refused in &matches.refused {
            let MatchRefused {
                match_number,
                file_path,
                line,
                code,
                message,
            } = refused;
            let _ = writeln!(
                text,
                "  match {match_number} at {file_path}:{line}: {code}: {message}"
            );
        }
        for file in self.files.iter().take(FILES_SHOWN) {
            let numbers = file.edits().iter().filter_map(|edit| edit.match_number);
            let numbers = runs(numbers);
            let lines = file.edits().iter().map(|edit| edit.range.start.line);
            let mut lines: Vec<usize> = lines.collect();
            lines.dedup();
            let _ = writeln!(
                text,
                "{}: {} {} at {}, +{} -{}",
                file.file_path,
                matches_noun(file.edits().len()),
                numbers,
                lines_text(&lines),
                file.added_lines,
                file.removed_lines
            );
        }
        let omitted = self.files.len().saturating_sub(FILES_SHOWN);
        push_omitted(text, "", omitted, "more files");
    }

    /// Appends one line for a file, with the number of changed lines, and the ends of its changes.
    fn push_changes(&self, text: &mut String, file: &FileEdited) {
        let counts = format!("+{} -{}", file.added_lines, file.removed_lines);
        let edits = file.edits();
        let _ = match edits {
            [edit] => {
                let done = self.done_at(edit, &file.file_path);
                match edit.action {
                    // Its lines are the same.
                    EditAction::MoveFile | EditAction::MoveFileHere => writeln!(text, "{done}"),
                    _ => writeln!(text, "{done}, {counts}"),
                }
            }
            [from, to] if from.action == EditAction::Move && to.action.is_arrival() => {
                let [from, to] = [from, to].map(|edit| self.done_at(edit, &file.file_path));
                writeln!(text, "{from}\n{to}, {counts}")
            }
            _ => writeln!(text, "{}: {} edits, {counts}", file.file_path, edits.len()),
        };
        text.push_str(file.seams.as_deref().unwrap_or_default());
    }

    /// Returns what happened to the node and where it is, such as `replaced string at a.rs:3-3`, or to the file.
    fn done_at(&self, edit: &NodeEdited, file_path: &str) -> String {
        let (to_do, done) = edit.action.verbs();
        let what = match edit.action.is_of_file() {
            true => file_path.to_string(),
            false => format!("{} at {}", edit.node_type, edit.place(file_path)),
        };
        match self.status {
            EditStatus::Applied | EditStatus::Rebased => format!("{done} {what}"),
            EditStatus::Undone => format!("undid: {to_do} {what}"),
            EditStatus::UndoPreviewed => format!("would undo: {to_do} {what}"),
            _ => format!("would {to_do} {what}"),
        }
    }
}

impl Generalized {
    /// Appends the pattern and its replacement.
    fn push_to(&self, text: &mut String) {
        let edit_id = &self.edit_id;
        let _ = writeln!(
            text,
            "the change of {edit_id}, generalized for {}:",
            self.language
        );
        push_pattern(text, &self.pattern, &self.new_content);
    }

    /// Appends the other patterns with their first matches, and the call for each.
    fn push_others_to(&self, text: &mut String, call_text: CallText<'_>) {
        for other in &self.others {
            let OtherPattern {
                pattern,
                reading,
                new_content,
                matches,
                files,
                first,
            } = other;
            let (noun, files) = (matches_noun(*matches), counted(*files, "file"));
            let _ = writeln!(text, "\nanother pattern has {matches} {noun} in {files}:");
            push_pattern(text, pattern, new_content);
            for PatternMatch {
                file_path,
                line,
                text: code,
            } in first
            {
                let _ = writeln!(text, "  {file_path}:{line}: {}", code.trim());
            }
            push_omitted(text, "  ", matches.saturating_sub(first.len()), "more");
            if *matches > 0 {
                let call = json!({
                    "path": self.path,
                    "pattern": pattern,
                    "new_content": new_content,
                    "language": self.language,
                    "reading": reading,
                });
                let _ = writeln!(text, "preview it:\n  {}", call_text("rewrite", &call));
            }
        }
    }
}

fn matches_noun(count: usize) -> &'static str {
    match count {
        1 => "match",
        _ => "matches",
    }
}

fn push_pattern(text: &mut String, pattern: &str, new_content: &str) {
    let signs = ["-", "+"].into_iter().zip([pattern, new_content]);
    for (sign, code) in signs {
        for line in code.lines() {
            let _ = writeln!(text, "  {sign} {line}");
        }
    }
}

impl EditAction {
    /// Returns the infinitive that precedes the node type, such as `insert after` in `would insert after`.
    pub(in crate::engine) fn to_do(self) -> &'static str {
        self.verbs().0
    }

    /// Returns the infinitive and the past tense that precede the node type.
    fn verbs(self) -> (&'static str, &'static str) {
        match self {
            EditAction::Replace => ("replace", "replaced"),
            EditAction::ReplaceText => ("replace text in", "replaced text in"),
            EditAction::Wrap => ("wrap", "wrapped"),
            EditAction::Move => ("move", "moved"),
            EditAction::MoveBefore => ("move it before", "moved it before"),
            EditAction::MoveAfter => ("move it after", "moved it after"),
            EditAction::MoveInto => ("move it into", "moved it into"),
            EditAction::InsertBefore => ("insert before", "inserted before"),
            EditAction::InsertAfter => ("insert after", "inserted after"),
            EditAction::InsertInto => ("insert into", "inserted into"),
            EditAction::Delete => ("delete", "deleted"),
            EditAction::CreateFile => ("create", "created"),
            EditAction::DeleteFile => ("delete", "deleted"),
            EditAction::MoveFile => ("move", "moved"),
            EditAction::MoveFileHere => ("move it to", "moved it to"),
            EditAction::OrganizeFile => ("organize the imports of", "organized the imports of"),
        }
    }
}

impl FileEdited {
    /// Returns all edits of the file.
    fn edits(&self) -> &[NodeEdited] {
        match self.edits.as_slice() {
            [] => std::slice::from_ref(&self.edit),
            edits => edits,
        }
    }
}

impl NodeEdited {
    /// Returns the file and the lines of the node.
    fn place(&self, file_path: &str) -> String {
        let lines = run(self.range.start.line, self.range.end.line);
        format!("{file_path}:{lines}")
    }
}

/// Returns the first [`LINES_SHOWN`] line numbers, and the number of the others.
fn lines_text(lines: &[usize]) -> String {
    let shown = lines.iter().take(LINES_SHOWN).map(usize::to_string);
    let shown = shown.collect::<Vec<_>>().join(", ");
    let noun = if lines.len() == 1 { "line" } else { "lines" };
    match lines.len().saturating_sub(LINES_SHOWN) {
        0 => format!("{noun} {shown}"),
        omitted => format!("{noun} {shown} and {omitted} more"),
    }
}

/// Returns ascending numbers as text, consecutive ones as a range.
fn runs(numbers: impl Iterator<Item = usize>) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let runs = runs.into_iter().map(|(first, last)| run(first, last));
    runs.collect::<Vec<_>>().join(", ")
}

/// Returns the numbers from `first` to `last`.
fn run(first: usize, last: usize) -> String {
    match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    }
}

impl Answer for EditDiscarded {
    fn text_with(&self, _: CallText<'_>) -> String {
        let reason = self.reason.as_deref();
        let reason = reason.map_or(String::new(), |reason| format!(": {reason}"));
        format!("discarded edit {}{reason}\n", self.edit_id)
    }
}

impl Answer for EditsForgotten {
    fn text_with(&self, _: CallText<'_>) -> String {
        let edits = counted(self.edits, "edit");
        let versions = counted(self.texts, "file version");
        let mut text = format!("removed {edits} and {versions}\n");
        push_notes(&mut text, &self.notes);
        text
    }
}

impl Answer for EditList {
    fn text_with(&self, _: CallText<'_>) -> String {
        let mut text = String::new();
        if self.edits.is_empty() {
            text.push_str("no pending or applied edits\n");
        }
        for (index, edit) in self.edits.iter().enumerate() {
            if index > 0 && edit.diff.is_some() {
                text.push('\n');
            }
            let reason = edit.reason.as_deref();
            let reason = reason.map_or(String::new(), |reason| {
                format!("; {}", discarded_text(reason))
            });
            let _ = writeln!(
                text,
                "{}  {:9}  {}  {}: {}{reason}",
                edit.edit_id,
                edit.status_name(),
                edit.tool,
                first_files(&edit.file_path),
                edit.summary
            );
            if let (Some(client), Some(session)) = (&edit.client, &edit.session) {
                let _ = writeln!(text, "    by {client}, session {session}");
            }
            if !edit.overlaps.is_empty() {
                let _ = writeln!(
                    text,
                    "    changes the same text as {}",
                    edit.overlaps.join(", ")
                );
            }
            if !edit.depends_on.is_empty() {
                let _ = writeln!(text, "    depends on {}", edit.depends_on.join(", "));
            }
            if let Some(diff) = &edit.diff {
                let _ = write!(text, "\n{diff}");
            }
        }
        push_omitted(&mut text, "", self.omitted, "older edits");
        push_notes(&mut text, &self.unreadable);
        text
    }
}

/// Returns the first of several paths, which are separated by commas, and the number of the others.
fn first_files(paths: &str) -> String {
    const SHOWN: usize = 3;
    match paths.match_indices(", ").nth(SHOWN - 1) {
        Some((end, _)) => {
            let more = paths[end..].matches(", ").count();
            format!("{} and {more} more", &paths[..end])
        }
        None => paths.to_string(),
    }
}
