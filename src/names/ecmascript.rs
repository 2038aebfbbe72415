//! Reads the names of JavaScript and TypeScript from oxc's semantic analysis.

use oxc_allocator::Allocator;
use oxc_ast::AstKind;
use oxc_ast::ast::{
    Argument, CallExpression, Declaration, ExportDefaultDeclarationKind, ExportSpecifier,
    Expression, ImportDeclarationSpecifier, ImportOrExportKind, JSXMemberExpressionObject,
    ModuleExportName, Statement, StringLiteral, TSModuleReference, TSTypeName,
};
use oxc_parser::Parser;
use oxc_semantic::{AstNode, Semantic, SemanticBuilder};
use oxc_span::{GetSpan, SourceType};
use oxc_syntax::node::NodeId;
use oxc_syntax::reference::ReferenceId;

use crate::parse::Parsed;
use crate::source::Span;

use super::facts::ImportFacts;
use super::file_names::{Access, Definition, Export, FILE, FileNames, NameUse};
use super::statements::{Import, ImportItem, ImportKind, ImportPlace, ItemForm};

/// Adds the names of a JavaScript or TypeScript file.
pub(super) fn read_ecmascript(parsed: &Parsed, names: &mut FileNames) {
    let source = parsed.source();
    let Some(facts) = ImportFacts::for_language(source.language().name) else {
        return;
    };
    let sample = source.language().sample().0;
    let known = SourceType::from_path(source.path()).or_else(|_| SourceType::from_path(sample));
    let Ok(known) = known else {
        names.problem.get_or_insert(Span::at(0));
        return;
    };
    let kind = known.with_jsx(known.is_javascript() || known.is_jsx());
    let kind = match kind.is_typescript_definition() {
        true => kind,
        false => kind.with_module(true),
    };
    let allocator = Allocator::default();
    let read = Parser::new(&allocator, source.text(), kind).parse();
    if let Some(problem) = read.diagnostics.iter().next() {
        let offset = problem
            .labels
            .iter()
            .next()
            .map_or(0, |label| label.offset());
        names.problem.get_or_insert(Span::at(offset as usize));
    }
    let program = allocator.alloc(read.program);
    let semantic = SemanticBuilder::new()
        .with_build_nodes(true)
        .build(program)
        .semantic;
    let mut reader = Reader {
        semantic: &semantic,
        facts,
        names,
    };
    reader.scopes();
    reader.nodes();
    for statement in &program.body {
        reader.statement(statement);
    }
}

struct Reader<'r, 'a> {
    semantic: &'r Semantic<'a>,
    facts: &'r ImportFacts,
    names: &'r mut FileNames,
}

impl<'a> Reader<'_, 'a> {
    /// Adds the scopes, which have the same numbers, and what they bind.
    fn scopes(&mut self) {
        let scoping = self.semantic.scoping();
        for scope in scoping.scope_descendants_from_root() {
            let parent = scoping
                .scope_parent_id(scope)
                .map_or(FILE, |parent| parent.index());
            if scope.index() != FILE {
                let added = self.names.add_scope(parent, false);
                debug_assert_eq!(added, scope.index());
            }
        }
        for (scope, bindings) in scoping.iter_bindings() {
            for (name, symbol) in bindings {
                let first = span(scoping.symbol_span(*symbol));
                self.names.bind_from(scope.index(), name, first, 0);
                for other in scoping.symbol_redeclarations(*symbol) {
                    let again = span(other.span);
                    self.names.bind_from(scope.index(), name, again, 0);
                }
            }
        }
    }

    fn nodes(&mut self) {
        let nodes = self.semantic.nodes();
        for node in nodes.iter() {
            let scope = node.scope_id().index();
            match node.kind() {
                AstKind::IdentifierReference(one) => {
                    if let Some(reference) = one.reference_id.get() {
                        self.reference(reference, one.name.as_str(), span(one.span));
                    }
                }
                AstKind::StaticMemberExpression(one) => {
                    self.access(node, dotted(&one.object), &one.property.name);
                }
                AstKind::TSQualifiedName(one) => {
                    self.access(node, dotted_type(&one.left), &one.right.name);
                }
                AstKind::JSXMemberExpression(one) => {
                    self.access(node, dotted_element(&one.object), &one.property.name);
                }
                AstKind::JSXOpeningElement(one) => {
                    let start = one.span.start as usize;
                    for name in &self.facts.implicit {
                        self.names.add_use(NameUse {
                            name: name.clone(),
                            span: Span::new(start, start + 1),
                            scope,
                            is_deferred: true,
                            is_assigned: false,
                            is_effect: false,
                        });
                    }
                }
                AstKind::CallExpression(call) => self.call(call),
                AstKind::ImportExpression(one) => {
                    let path = match &one.source {
                        Expression::StringLiteral(path) => Some(path.value.to_string()),
                        _ => None,
                    };
                    self.names.loads.push((span(one.span), path));
                }
                AstKind::ImportMeta(one) => self.names.add_use(NameUse {
                    name: "import.meta".to_string(),
                    span: span(one.span),
                    scope: FILE,
                    is_deferred: true,
                    is_assigned: false,
                    is_effect: false,
                }),
                AstKind::TSImportType(one) => {
                    let load = (span(one.span), Some(one.source.value.to_string()));
                    self.names.loads.push(load);
                }
                AstKind::TSExternalModuleDeclaration(one) => {
                    let added = (one.id.value.to_string(), span(one.span));
                    self.names.augmented.push(added);
                }
                AstKind::TSImportEqualsDeclaration(one) => {
                    if let TSModuleReference::ExternalModuleReference(module) =
                        &one.module_reference
                    {
                        let path = Some(module.expression.value.to_string());
                        self.names.loads.push((span(one.span), path));
                    }
                }
                AstKind::TSGlobalDeclaration(_) => self.names.has_globals = true,
                AstKind::ThrowStatement(one) if !self.is_deferred(node.id()) => {
                    self.names.stops.push(span(one.span));
                }
                _ => {}
            }
        }
    }

    fn reference(&mut self, reference: ReferenceId, name: &str, at: Span) {
        let scoping = self.semantic.scoping();
        let own = scoping.get_reference(reference);
        let flags = own.flags();
        let is_deferred =
            !flags.is_value() || flags.is_value_as_type() || self.is_deferred(own.node_id());
        // A type and a value may have the same name: the scope is that of the one that is meant.
        let binding = own
            .symbol_id()
            .map(|symbol| scoping.symbol_scope_id(symbol).index());
        self.names.add_use(NameUse {
            name: name.to_string(),
            span: at,
            scope: binding.unwrap_or(FILE),
            is_deferred,
            is_assigned: flags.is_write(),
            is_effect: !is_deferred && self.is_effect(own.node_id()),
        });
        let is_unbound = binding.is_none();
        if is_unbound && self.facts.other_modules.iter().any(|one| one == name) {
            let around = self.semantic.nodes().parent_kind(own.node_id());
            self.names.other_modules.push(span(around.span()));
        }
    }

    fn access(&mut self, node: &AstNode<'a>, value: Option<String>, member: &str) {
        if let Some(value) = value {
            self.names.add_access(Access {
                value,
                member: member.to_string(),
                span: span(node.kind().span()),
                scope: node.scope_id().index(),
                is_bound: self.is_assigned(node.id()),
            });
        }
    }

    /// Returns whether a node is assigned, deleted, or changed.
    fn is_assigned(&self, node: NodeId) -> bool {
        let nodes = self.semantic.nodes();
        let own = nodes.kind(node).span();
        match nodes.parent_kind(node) {
            AstKind::AssignmentExpression(one) => one.left.span() == own,
            AstKind::UpdateExpression(_) => true,
            AstKind::UnaryExpression(one) => one.operator.is_delete(),
            _ => false,
        }
    }

    /// Returns whether a node is in a function that is not called on the spot, or in a field of instances.
    fn is_deferred(&self, node: NodeId) -> bool {
        let nodes = self.semantic.nodes();
        let mut inner = nodes.kind(node).span();
        let mut is_function = false;
        for kind in nodes.ancestor_kinds(node) {
            let outer = kind.span();
            match kind {
                AstKind::CallExpression(call) if is_function => {
                    if call.callee.span() != inner {
                        return true;
                    }
                    is_function = false;
                }
                AstKind::ParenthesizedExpression(_) => {}
                _ if is_function => return true,
                AstKind::Function(_) | AstKind::ArrowFunctionExpression(_) => is_function = true,
                AstKind::PropertyDefinition(one) if !one.r#static => {
                    let value = one.value.as_ref();
                    if value.is_some_and(|value| value.span() == inner) {
                        return true;
                    }
                }
                _ => {}
            }
            inner = outer;
        }
        is_function
    }

    /// Returns whether a node is in a statement that only has effects, or in a decorator.
    fn is_effect(&self, node: NodeId) -> bool {
        let mut kinds = self.semantic.nodes().ancestor_kinds(node);
        kinds.any(|kind| {
            matches!(
                kind,
                AstKind::ExpressionStatement(_) | AstKind::Decorator(_)
            )
        })
    }

    fn call(&mut self, call: &CallExpression<'_>) {
        let Expression::StaticMemberExpression(callee) = &call.callee else {
            return;
        };
        let name = callee.property.name.as_str();
        if self.facts.loading_calls.iter().any(|one| one == name) {
            let path = match call.arguments.first() {
                Some(Argument::StringLiteral(path)) => Some(path.value.to_string()),
                _ => None,
            };
            self.names.loads.push((span(call.span), path));
        }
    }

    /// Reads a statement of the file.
    fn statement(&mut self, statement: &Statement<'a>) {
        match statement {
            Statement::ImportDeclaration(one) => {
                let items = one.specifiers.iter().flatten().map(import_item);
                let kind = (ImportKind::Items, one.import_kind);
                self.names.imports.push(Import {
                    is_special: one.with_clause.is_some() || one.phase.is_some(),
                    ..import(one.span, kind, &one.source, items.collect())
                });
            }
            Statement::ExportFromDeclaration(one) => {
                let items = one.specifiers.iter().map(exported_item);
                let kind = (ImportKind::Export, one.export_kind);
                let import = import(one.span, kind, &one.source, items.collect());
                self.names.imports.push(import);
            }
            Statement::ExportAllDeclaration(one) => {
                let namespace = one.exported.as_ref().map(exported_namespace);
                let star = namespace.is_none().then(|| span(one.span));
                let items = namespace.into_iter().collect();
                let kind = (ImportKind::Export, one.export_kind);
                self.names.imports.push(Import {
                    star,
                    ..import(one.span, kind, &one.source, items)
                });
            }
            Statement::ExportNamedDeclaration(one) => {
                let all = one.specifiers.iter().map(|specifier| Export {
                    name: specifier.exported.name().to_string(),
                    local: specifier.local.name().to_string(),
                });
                self.names.exports.extend(all);
            }
            Statement::ExportDeclaration(one) => {
                self.define(one.span, Some(&one.declaration), true, false);
            }
            Statement::ExportDefaultDeclaration(one) => {
                let is_type = matches!(
                    one.declaration,
                    ExportDefaultDeclarationKind::TSInterfaceDeclaration(_)
                );
                let is_hoisted = matches!(
                    one.declaration,
                    ExportDefaultDeclarationKind::FunctionDeclaration(_)
                );
                if let ExportDefaultDeclarationKind::Identifier(name) = &one.declaration {
                    self.names.exports.push(Export {
                        name: "default".to_string(),
                        local: name.name.to_string(),
                    });
                }
                self.names.definitions.push(Definition {
                    span: span(one.span),
                    is_exported: true,
                    is_default: true,
                    is_type,
                    is_hoisted: is_type || is_hoisted,
                });
            }
            other => self.define(other.span(), other.as_declaration(), false, false),
        }
    }

    fn define(
        &mut self,
        at: oxc_span::Span,
        declaration: Option<&Declaration<'a>>,
        is_exported: bool,
        is_default: bool,
    ) {
        let is_type = matches!(
            declaration,
            Some(Declaration::TSInterfaceDeclaration(_) | Declaration::TSTypeAliasDeclaration(_))
        );
        let is_hoisted = matches!(declaration, Some(Declaration::FunctionDeclaration(_)));
        self.names.definitions.push(Definition {
            span: span(at),
            is_exported,
            is_default,
            is_type,
            is_hoisted: is_type || is_hoisted,
        });
    }
}

fn import(
    at: oxc_span::Span,
    (kind, what): (ImportKind, ImportOrExportKind),
    module: &StringLiteral<'_>,
    items: Vec<ImportItem>,
) -> Import {
    let quoted = span(module.span);
    let inner = Span::new(quoted.start() + 1, quoted.end() - 1);
    Import {
        span: span(at),
        kind,
        module: Some((inner, module.value.to_string())),
        items,
        star: None,
        is_type: what.is_type(),
        is_special: false,
        place: ImportPlace::File,
    }
}

/// Returns the item of `export { local as name } from "./a"`.
fn exported_item(specifier: &ExportSpecifier<'_>) -> ImportItem {
    let (local, exported) = (&specifier.local, &specifier.exported);
    ImportItem {
        span: span(specifier.span),
        name: local.name().to_string(),
        alias: (local.span() != exported.span()).then(|| exported.name().to_string()),
        bound: (exported.name().to_string(), span(exported.span())),
        form: ItemForm::Named,
        is_type: specifier.export_kind.is_type(),
    }
}

/// Returns the item of `export * as name from "./a"`.
fn exported_namespace(exported: &ModuleExportName<'_>) -> ImportItem {
    let (name, at) = (exported.name().to_string(), span(exported.span()));
    ImportItem {
        span: at,
        name: name.clone(),
        alias: Some(name.clone()),
        bound: (name, at),
        form: ItemForm::Namespace,
        is_type: false,
    }
}

fn import_item(specifier: &ImportDeclarationSpecifier<'_>) -> ImportItem {
    let local = specifier.local();
    let bound = (local.name.to_string(), span(local.span));
    let (name, alias, form, is_type) = match specifier {
        ImportDeclarationSpecifier::ImportSpecifier(one) => {
            let name = one.imported.name().to_string();
            let alias = (one.imported.span() != one.local.span).then(|| bound.0.clone());
            (name, alias, ItemForm::Named, one.import_kind.is_type())
        }
        ImportDeclarationSpecifier::ImportDefaultSpecifier(_) => {
            (bound.0.clone(), None, ItemForm::Default, false)
        }
        ImportDeclarationSpecifier::ImportNamespaceSpecifier(_) => {
            let alias = Some(bound.0.clone());
            (bound.0.clone(), alias, ItemForm::Namespace, false)
        }
    };
    ImportItem {
        span: span(specifier.span()),
        name,
        alias,
        bound,
        form,
        is_type,
    }
}

/// Returns the text of names that dots join.
fn dotted(expression: &Expression<'_>) -> Option<String> {
    match expression {
        Expression::Identifier(name) => Some(name.name.to_string()),
        Expression::StaticMemberExpression(one) => {
            let value = dotted(&one.object)?;
            Some(format!("{value}.{}", one.property.name))
        }
        _ => None,
    }
}

fn dotted_type(name: &TSTypeName<'_>) -> Option<String> {
    match name {
        TSTypeName::IdentifierReference(name) => Some(name.name.to_string()),
        TSTypeName::QualifiedName(one) => {
            let value = dotted_type(&one.left)?;
            Some(format!("{value}.{}", one.right.name))
        }
        TSTypeName::ThisExpression(_) => None,
    }
}

fn dotted_element(object: &JSXMemberExpressionObject<'_>) -> Option<String> {
    match object {
        JSXMemberExpressionObject::IdentifierReference(name) => Some(name.name.to_string()),
        JSXMemberExpressionObject::MemberExpression(one) => {
            let value = dotted_element(&one.object)?;
            Some(format!("{value}.{}", one.property.name))
        }
        JSXMemberExpressionObject::ThisExpression(_) => None,
    }
}

fn span(span: oxc_span::Span) -> Span {
    Span::new(span.start as usize, span.end as usize)
}
