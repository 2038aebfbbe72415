//! Values that a program cannot forge. Each example that must not compile is next to one that does, without the
//! forged part.
//!
//! Only nightly compilers check the error codes (`RUSTC_BOOTSTRAP=1 cargo test --doc guarantees` makes other
//! compilers check them too).

/// A [`Change`](crate::change::Change) has the text and the tree that its text edit produces.
///
/// ```
/// use treegraft::change::{Change, TextEdit};
/// use treegraft::parse::Parsed;
///
/// fn look<'c>(change: &'c Change<'_>) -> (&'c Parsed, &'c TextEdit) {
///     (change.after(), change.text_edit())
/// }
/// ```
///
/// ```compile_fail,E0616
/// use treegraft::change::Change;
/// use treegraft::parse::Parsed;
///
/// fn with_another_text(change: &mut Change<'_>, after: Parsed) {
///     change.after = after;
/// }
/// ```
///
/// ```compile_fail,E0616
/// use treegraft::change::{Change, TextEdit};
///
/// fn with_another_edit(change: &mut Change<'_>, text_edit: TextEdit) {
///     change.reading.text_edit = text_edit;
/// }
/// ```
pub struct ChangeIsMadeByEdit;

/// A [`Checked`](crate::validate::Checked) change is created by `validate`, and cannot be modified.
///
/// ```
/// use treegraft::change::Change;
/// use treegraft::validate::{Checked, validate};
///
/// fn check(change: Change<'_>) -> Option<Checked<'_>> {
///     validate(change, &[]).ok()
/// }
/// ```
///
/// ```compile_fail,E0451
/// use treegraft::change::Change;
/// use treegraft::validate::Checked;
///
/// fn unchecked(change: Change<'_>) -> Checked<'_> {
///     Checked { change, notes: Vec::new(), rows: Vec::new() }
/// }
/// ```
///
/// ```compile_fail,E0616
/// use treegraft::change::Change;
/// use treegraft::validate::Checked;
///
/// fn another<'p>(checked: &mut Checked<'p>, change: Change<'p>) {
///     checked.change = change;
/// }
/// ```
pub struct CheckedIsMadeByValidate;

/// A [`Rejected`](crate::validate::Rejected) change can be read, but does not become a checked change.
///
/// ```
/// use treegraft::change::Change;
/// use treegraft::validate::Rejected;
///
/// fn look<'r, 'p>(rejected: &'r Rejected<'p>) -> &'r Change<'p> {
///     rejected.change()
/// }
/// ```
///
/// ```compile_fail,E0308
/// use treegraft::preview::{FilePreview, preview};
/// use treegraft::validate::Rejected;
///
/// fn shown(rejected: Rejected<'_>) -> FilePreview {
///     preview(rejected).0
/// }
/// ```
pub struct RejectedIsNotChecked;

/// Only `preview` makes a [`FilePreview`](crate::preview::FilePreview): its texts and its record belong together.
///
/// ```
/// use treegraft::preview::{FilePreview, PreviewRecord};
/// use treegraft::source::Source;
///
/// fn parts(preview: &FilePreview) -> (Source, Source, PreviewRecord) {
///     let (before, after) = (preview.before().clone(), preview.after().clone());
///     let record = preview.record().clone();
///     (before, after, record)
/// }
/// ```
///
/// ```compile_fail,E0451
/// use treegraft::preview::FilePreview;
/// use treegraft::source::Source;
///
/// fn with_another_text(preview: &FilePreview, after: Source) -> FilePreview {
///     let (before, record) = (preview.before().clone(), preview.record().clone());
///     FilePreview { before, after, record }
/// }
/// ```
pub struct FilePreviewIsMadeByPreview;

/// Only the crate, which knows the file of a record, can restore a preview from the record.
///
/// ```
/// use treegraft::preview::{FilePreview, PreviewRecord};
///
/// fn record(preview: &FilePreview) -> PreviewRecord {
///     FilePreview::record(preview).clone()
/// }
/// ```
///
/// ```compile_fail,E0624
/// use treegraft::preview::{FilePreview, PreviewRecord};
/// use treegraft::source::Source;
///
/// fn of_another_file(before: &Source, record: PreviewRecord) -> Option<FilePreview> {
///     FilePreview::reopen(before, record).ok()
/// }
/// ```
pub struct RecordIsReopenedInside;

/// A [`PreviewRecord`](crate::preview::PreviewRecord) cannot be created from parts, and its parts cannot be replaced.
///
/// ```
/// use treegraft::change::Replacement;
/// use treegraft::preview::PreviewRecord;
///
/// fn change(record: &PreviewRecord) -> Vec<Replacement> {
///     record.replacements().to_vec()
/// }
/// ```
///
/// ```compile_fail,E0616
/// use treegraft::change::Replacement;
/// use treegraft::preview::PreviewRecord;
///
/// fn with_another_change(mut record: PreviewRecord, change: Vec<Replacement>) -> PreviewRecord {
///     record.0.replacements = change;
///     record
/// }
/// ```
pub struct RecordHasPrivateFields;

/// A [`PreviewRecord`](crate::preview::PreviewRecord) cannot be deserialized from arbitrary JSON.
///
/// ```
/// use treegraft::source::Digest;
///
/// fn read(json: serde_json::Value) -> Option<Digest> {
///     serde_json::from_value(json).ok()
/// }
/// ```
///
/// ```compile_fail,E0277
/// use treegraft::preview::PreviewRecord;
///
/// fn read(json: serde_json::Value) -> Option<PreviewRecord> {
///     serde_json::from_value(json).ok()
/// }
/// ```
///
/// ```compile_fail,E0624
/// use treegraft::preview::PreviewRecord;
///
/// fn read(json: serde_json::Value) -> Option<PreviewRecord> {
///     PreviewRecord::deserialize(json).ok()
/// }
/// ```
pub struct RecordIsNotReadFromJson;

/// A [`Target`](crate::change::Target) always describes the place of its edit.
///
/// ```
/// use treegraft::change::Target;
/// use treegraft::source::Span;
///
/// fn place(target: &Target) -> (String, Span, Span) {
///     (target.node_type().to_string(), target.span(), target.new_span())
/// }
/// ```
///
/// ```compile_fail,E0451
/// use treegraft::change::Target;
/// use treegraft::source::Span;
///
/// fn elsewhere(target: &Target, span: Span) -> Target {
///     let (node_type, new_span) = (target.node_type().to_string(), target.new_span());
///     Target { node_type, span, new_span }
/// }
/// ```
pub struct TargetHasPrivateFields;

/// A [`Preview`](crate::preview::Preview) contains each file once, which `Preview::from_files` checks.
///
/// ```
/// use treegraft::preview::{FilePreview, Preview, SameFile};
///
/// fn combine(files: Vec<FilePreview>) -> Result<Preview, SameFile> {
///     Preview::from_files(files)
/// }
/// ```
///
/// ```compile_fail,E0451
/// use treegraft::preview::{FilePreview, Preview};
///
/// fn combine(files: Vec<FilePreview>) -> Preview {
///     Preview { files }
/// }
/// ```
pub struct PreviewHasEachFileOnce;

/// A [`LockedPreview`](crate::apply::LockedPreview) ties each change to the lock of its own file, which its
/// constructors check.
///
/// ```
/// use treegraft::apply::LockedPreview;
/// use treegraft::preview::Preview;
/// use treegraft::workspace::{FileError, LockedFile};
///
/// fn tied(preview: &Preview, locked: Vec<LockedFile>) -> Result<LockedPreview<'_>, FileError> {
///     LockedPreview::to_apply(preview, locked)
/// }
/// ```
///
/// ```compile_fail,E0451
/// use treegraft::apply::LockedPreview;
/// use treegraft::apply::journal::Direction;
///
/// fn tied() -> LockedPreview<'static> {
///     LockedPreview { files: Vec::new(), direction: Direction::There }
/// }
/// ```
pub struct LockIsOfItsFile;

/// A lock is consumed with its change: no second change is written under it.
///
/// ```
/// use treegraft::apply::LockedPreview;
/// use treegraft::preview::Preview;
/// use treegraft::workspace::LockedFile;
///
/// fn both(one: &Preview, other: &Preview, locked: Vec<LockedFile>, others: Vec<LockedFile>) -> bool {
///     LockedPreview::to_apply(one, locked).is_ok() && LockedPreview::to_apply(other, others).is_ok()
/// }
/// ```
///
/// ```compile_fail,E0382
/// use treegraft::apply::LockedPreview;
/// use treegraft::preview::Preview;
/// use treegraft::workspace::LockedFile;
///
/// fn both(one: &Preview, other: &Preview, locked: Vec<LockedFile>) -> bool {
///     LockedPreview::to_apply(one, locked).is_ok() && LockedPreview::to_apply(other, locked).is_ok()
/// }
/// ```
pub struct LockIsForOneChange;

/// The text of a locked file was read by the lock itself.
///
/// ```
/// use treegraft::source::Source;
/// use treegraft::workspace::LockedFile;
///
/// fn known(locked: &LockedFile) -> Option<&Source> {
///     locked.text()
/// }
/// ```
///
/// ```compile_fail,E0616
/// use treegraft::source::Source;
/// use treegraft::workspace::LockedFile;
///
/// fn pretend(locked: &mut LockedFile, text: &Source) {
///     if let Some((_, read)) = &mut locked.read {
///         *read = text.clone();
///     }
/// }
/// ```
pub struct TextUnderALockWasRead;

/// A lock alone writes nothing: only a preview provides bytes.
///
/// ```
/// use treegraft::source::Digest;
/// use treegraft::workspace::{FileError, LockedFile};
///
/// fn digest(locked: &LockedFile) -> Result<Digest, FileError> {
///     locked.digest()
/// }
/// ```
///
/// ```compile_fail,E0624
/// use treegraft::source::Digest;
/// use treegraft::workspace::{LockedFile, TemporaryName, WritePermit};
///
/// fn write(
///     locked: &LockedFile,
///     permit: &WritePermit,
///     expected: Digest,
///     name: &TemporaryName,
///     bytes: &[u8],
/// ) -> bool {
///     locked.prepare(permit, expected, name, [bytes]).is_ok()
/// }
/// ```
pub struct LockAloneWritesNothing;

/// Nothing is written without the permission of the workspace, which an agent does not have if a person has to approve
/// each edit.
///
/// ```
/// use treegraft::workspace::{FileError, Workspace, WritePermit};
///
/// fn permit(workspace: &Workspace) -> Result<WritePermit, FileError> {
///     workspace.write_permit()
/// }
/// ```
///
/// ```compile_fail,E0423
/// use treegraft::workspace::WritePermit;
///
/// fn permit() -> WritePermit {
///     WritePermit(())
/// }
/// ```
pub struct WritesArePermitted;

/// Only the engine writes records to the state directory.
///
/// ```
/// use treegraft::workspace::StateDirectory;
///
/// fn look(state: &StateDirectory) -> bool {
///     state.read("edits", "e0123456789ab.json").is_ok()
/// }
/// ```
///
/// ```compile_fail,E0624
/// use treegraft::workspace::StateDirectory;
///
/// fn forge(state: &StateDirectory, record: &[u8]) -> bool {
///     state.write("edits", "e0123456789ab.json", record).is_ok()
/// }
/// ```
pub struct StateIsWrittenByTheEngine;
