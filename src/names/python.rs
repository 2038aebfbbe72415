//! Reads the names of Python from ruff's tree, by the scope rules of the language
//! (<https://docs.python.org/3/reference/executionmodel.html#naming-and-binding>).

use std::borrow::Cow;

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    Alias, Comprehension, Decorator, ExceptHandler, Expr, ExprContext, Identifier, MatchCase,
    Parameters, Pattern, PySourceType, Stmt, StmtClassDef, StmtIf, StmtImport, StmtImportFrom,
    TypeParam, TypeParams,
};
use ruff_text_size::{Ranged, TextRange};

use crate::parse::Parsed;
use crate::source::Span;

use super::file_names::{Access, FILE, FileNames, Listed, NameUse};
use super::statements::{Import, ImportItem, ImportKind, ImportPlace, ItemForm};

/// Adds the names of a Python file.
pub(super) fn read_python(parsed: &Parsed, names: &mut FileNames) {
    let source = parsed.source();
    let text = source.text();
    let kind = match source.path().ends_with(".pyi") {
        true => PySourceType::Stub,
        false => PySourceType::Python,
    };
    let module = ruff_python_parser::parse_unchecked_source(text, kind);
    if let Some(error) = module.errors().first() {
        names.problem.get_or_insert(span(error.location));
    }
    let suite = module.suite();
    let has_deferred_annotations = kind == PySourceType::Stub || suite.iter().any(is_future);
    let mut reader = Reader {
        names,
        text,
        scope: FILE,
        comprehensions: Vec::new(),
        depth: 0,
        block: None,
        is_deferred: false,
        is_effect: false,
        is_class_body: false,
        class: None,
        statement_end: 0,
        is_annotation: false,
        has_deferred_annotations,
    };
    for statement in suite {
        reader.visit_stmt(statement);
    }
}

/// Returns whether a statement makes annotations text: `from __future__ import annotations`.
fn is_future(statement: &Stmt) -> bool {
    let Stmt::ImportFrom(import) = statement else {
        return false;
    };
    let module = import.module.as_ref().map(Identifier::as_str);
    let mut all = import.names.iter();
    module == Some("__future__") && all.any(|alias| alias.name.as_str() == "annotations")
}

/// Visits all statements and expressions with the scopes that contain them.
struct Reader<'r> {
    names: &'r mut FileNames,
    text: &'r str,
    scope: usize,
    /// The scopes of comprehensions, each with the scope that contains it.
    comprehensions: Vec<(usize, usize)>,
    /// The number of statements that contain the visited one.
    depth: usize,
    /// The first line of the condition of the file whose block contains the visited statement.
    block: Option<Span>,
    is_deferred: bool,
    /// Whether the visited code is a statement that only has effects, or a decorator.
    is_effect: bool,
    /// Whether the scope is that of a class.
    is_class_body: bool,
    /// The name of the innermost class.
    class: Option<String>,
    /// The end of the innermost visited statement.
    statement_end: usize,
    is_annotation: bool,
    has_deferred_annotations: bool,
}

impl Reader<'_> {
    /// Visits code in a scope of its own.
    fn in_scope(&mut self, is_class: bool, visit: impl FnOnce(&mut Self)) {
        let outer = (self.scope, self.is_class_body);
        self.scope = self.names.add_scope(self.scope, is_class);
        self.is_class_body = is_class;
        visit(self);
        (self.scope, self.is_class_body) = outer;
    }

    /// Visits code that only has effects.
    fn effect(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_effect, true);
        visit(self);
        self.is_effect = outer;
    }

    /// Visits code that runs later.
    fn later(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = (self.is_deferred, self.is_effect);
        (self.is_deferred, self.is_effect) = (true, false);
        visit(self);
        (self.is_deferred, self.is_effect) = outer;
    }

    fn bind(&mut self, identifier: &Identifier) {
        self.bind_name(identifier.as_str(), span(identifier.range));
    }

    /// Returns what a name in a class is short for: `_Class__name` for `__name`.
    fn in_full<'n>(&self, name: &'n str) -> Cow<'n, str> {
        let class = self.class.as_ref();
        let class = class.map(|class| class.trim_start_matches('_'));
        match class.filter(|class| !class.is_empty()) {
            Some(class) if name.starts_with("__") && !name.ends_with("__") => {
                format!("_{class}{name}").into()
            }
            _ => name.into(),
        }
    }

    /// Binds a name. In the body of a class, code before its statement sees the name of the file.
    fn bind_name(&mut self, name: &str, at: Span) {
        let name = &*self.in_full(name);
        let from = if self.is_class_body {
            self.statement_end
        } else {
            0
        };
        self.names.bind_from(self.scope, name, at, from);
    }

    fn bind_all<'i>(&mut self, identifiers: impl IntoIterator<Item = &'i Identifier>) {
        identifiers.into_iter().for_each(|one| self.bind(one));
    }

    /// Visits a name in an expression.
    fn name(&mut self, name: &str, at: Span, context: ExprContext) {
        let name = &*self.in_full(name);
        match context {
            ExprContext::Del if self.scope == FILE => {
                self.names.rebound.push((name.to_string(), at));
            }
            ExprContext::Store | ExprContext::Del => self.bind_name(name, at),
            ExprContext::Load | ExprContext::Invalid => self.names.add_use(NameUse {
                name: name.to_string(),
                span: at,
                scope: self.scope,
                is_deferred: self.is_deferred,
                is_assigned: false,
                is_effect: self.is_effect && !self.is_deferred,
            }),
        }
    }

    /// Visits type parameters and what sees them, in the scope of the parameters.
    fn with_type_parameters(
        &mut self,
        parameters: Option<&TypeParams>,
        visit: impl FnOnce(&mut Self),
    ) {
        let Some(parameters) = parameters else {
            return visit(self);
        };
        self.in_scope(false, |reader| {
            for one in parameters {
                let name = match one {
                    TypeParam::TypeVar(one) => &one.name,
                    TypeParam::TypeVarTuple(one) => &one.name,
                    TypeParam::ParamSpec(one) => &one.name,
                };
                reader.bind(name);
            }
            reader.later(|reader| visitor::walk_type_params(reader, parameters));
            visit(reader);
        });
    }

    fn bind_parameters(&mut self, parameters: &Parameters) {
        let all = parameters.iter();
        self.bind_all(all.map(|one| one.as_parameter().name()));
    }

    /// Visits a comprehension: its first iterable is outside its scope.
    fn comprehension(&mut self, generators: &[Comprehension], elements: &[&Expr]) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let outer = self.scope;
        self.in_scope(false, |reader| {
            reader.comprehensions.push((reader.scope, outer));
            for (index, generator) in generators.iter().enumerate() {
                reader.visit_expr(&generator.target);
                if index > 0 {
                    reader.visit_expr(&generator.iter);
                }
                for condition in &generator.ifs {
                    reader.visit_expr(condition);
                }
            }
            for element in elements {
                reader.visit_expr(element);
            }
            reader.comprehensions.pop();
        });
    }

    /// Visits the target of `:=`, which the scope around comprehensions binds.
    fn named_target(&mut self, target: &Expr) {
        let own = self.scope;
        for (inner, outer) in self.comprehensions.iter().rev() {
            if *inner == self.scope {
                self.scope = *outer;
            }
        }
        self.visit_expr(target);
        self.scope = own;
    }

    fn place(&self) -> ImportPlace {
        match self.block {
            _ if self.depth == 0 => ImportPlace::File,
            Some(block) if self.depth == 1 => ImportPlace::Block(block),
            _ => ImportPlace::Inside {
                is_deferred: self.is_deferred,
            },
        }
    }

    fn modules(&mut self, import: &StmtImport) {
        let items = import.names.iter().map(|alias| item(alias, true));
        let import = Import {
            span: span(import.range),
            kind: ImportKind::Modules,
            module: None,
            items: items.collect(),
            star: None,
            is_type: false,
            is_special: import.is_lazy,
            place: self.place(),
        };
        self.add_import(import);
    }

    fn items(&mut self, import: &StmtImportFrom) {
        let name = import.module.as_ref();
        let own = span(import.range);
        // The dots of a relative module are no nodes.
        let start = own.start() + "from".len();
        let start = start + self.text[start..].len() - self.text[start..].trim_start().len();
        let end = match name {
            Some(name) => name.end().to_usize(),
            None => {
                let dots = self.text[start..].find("import").unwrap_or_default();
                start + self.text[start..start + dots].trim_end().len()
            }
        };
        let dots = ".".repeat(import.level as usize);
        let module = format!("{dots}{}", name.map_or("", Identifier::as_str));
        let kind = match module.as_str() {
            "__future__" => ImportKind::Language,
            _ => ImportKind::Items,
        };
        let (stars, items): (Vec<&Alias>, Vec<&Alias>) = import
            .names
            .iter()
            .partition(|alias| alias.name.as_str() == "*");
        let import = Import {
            span: own,
            kind,
            module: Some((Span::new(start, end), module)),
            items: items.into_iter().map(|alias| item(alias, false)).collect(),
            star: stars.first().map(|alias| span(alias.range)),
            is_type: false,
            is_special: import.is_lazy,
            place: self.place(),
        };
        self.add_import(import);
    }

    fn add_import(&mut self, import: Import) {
        if import.kind != ImportKind::Language {
            for item in &import.items {
                self.bind_name(&item.bound.0, item.bound.1);
            }
        }
        self.names.imports.push(import);
    }

    /// Visits a condition. Only its first block is the one that the condition guards.
    fn condition(&mut self, one: &StmtIf) {
        self.visit_expr(&one.test);
        if self.depth == 0 && is_script(&one.test) {
            // The code runs only if the file is a program: no other code sees its names.
            self.in_scope(false, |reader| {
                reader.later(|reader| reader.visit_body(&one.body))
            });
            return one
                .elif_else_clauses
                .iter()
                .for_each(|clause| self.visit_elif_else_clause(clause));
        }
        let is_of_file = self.depth == 0;
        if is_of_file {
            let start = one.range.start().to_usize();
            let line = self.text[start..].lines().next().unwrap_or_default();
            self.block = Some(Span::new(start, start + line.trim_end().len()));
        }
        self.visit_body(&one.body);
        if is_of_file {
            self.block = None;
        }
        for clause in &one.elif_else_clauses {
            self.visit_elif_else_clause(clause);
        }
    }

    /// Adds the elements of a list that is given to `__all__`.
    fn exports(&mut self, target: &Expr, value: &Expr) {
        let is_list = target
            .as_name_expr()
            .is_some_and(|name| name.id == "__all__");
        let elements: &[Expr] = match value {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            _ => return,
        };
        if !is_list || self.scope != FILE {
            return;
        }
        let list = span(value.range());
        let all = self.names.listed.get_or_insert_default();
        all.extend(elements.iter().filter_map(|element| {
            let string = element.as_string_literal_expr()?;
            Some(Listed {
                name: string.value.to_str().to_string(),
                span: span(string.range),
                list,
            })
        }));
    }

    fn class(&mut self, class: &StmtClassDef) {
        for decorator in &class.decorator_list {
            self.visit_decorator(decorator);
        }
        self.bind(&class.name);
        self.with_type_parameters(class.type_params.as_deref(), |reader| {
            if let Some(arguments) = &class.arguments {
                reader.visit_arguments(arguments);
            }
            let outer = reader.class.replace(class.name.to_string());
            reader.in_scope(true, |reader| reader.visit_body(&class.body));
            reader.class = outer;
        });
    }

    /// Visits a statement of any kind.
    fn statement(&mut self, statement: &Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                self.bind(&function.name);
                self.with_type_parameters(function.type_params.as_deref(), |reader| {
                    reader.visit_parameters(&function.parameters);
                    if let Some(returns) = &function.returns {
                        reader.visit_annotation(returns);
                    }
                    reader.in_scope(false, |reader| {
                        reader.bind_parameters(&function.parameters);
                        reader.later(|reader| reader.visit_body(&function.body));
                    });
                });
            }
            Stmt::ClassDef(class) => self.class(class),
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.name);
                self.with_type_parameters(alias.type_params.as_deref(), |reader| {
                    reader.later(|reader| reader.visit_expr(&alias.value));
                });
            }
            Stmt::Global(global) => {
                for name in &global.names {
                    let full = self.in_full(name.as_str());
                    self.names.declare_outer(self.scope, &full);
                    let one = (full.into_owned(), span(name.range));
                    self.names.rebound.push(one);
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    let full = self.in_full(name.as_str());
                    self.names.declare_outer(self.scope, &full);
                }
            }
            Stmt::Import(import) => self.modules(import),
            Stmt::ImportFrom(import) => self.items(import),
            Stmt::If(one) => self.condition(one),
            Stmt::Assign(assign) => {
                if let [target] = &assign.targets[..] {
                    self.exports(target, &assign.value);
                }
                self.visit_expr(&assign.value);
                self.effect(|reader| {
                    assign.targets.iter().for_each(|one| reader.visit_expr(one));
                });
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.exports(&assign.target, value);
                }
                visitor::walk_stmt(self, statement);
            }
            Stmt::AugAssign(assign) => {
                self.exports(&assign.target, &assign.value);
                if let Some(name) = assign.target.as_name_expr() {
                    self.name(&name.id, span(name.range), ExprContext::Load);
                }
                self.visit_expr(&assign.value);
                self.effect(|reader| reader.visit_expr(&assign.target));
            }
            Stmt::Expr(one) => self.effect(|reader| reader.visit_expr(&one.value)),
            Stmt::Assert(_) | Stmt::Raise(_) => {
                if !self.is_deferred {
                    self.names.stops.push(span(statement.range()));
                }
                visitor::walk_stmt(self, statement);
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    /// Visits an expression as an annotation: its strings are code.
    fn annotation(&mut self, expression: &Expr) {
        self.names.annotations.push(span(expression.range()));
        let outer = std::mem::replace(&mut self.is_annotation, true);
        match self.has_deferred_annotations {
            true => self.later(|reader| reader.visit_expr(expression)),
            false => self.visit_expr(expression),
        }
        self.is_annotation = outer;
    }
}

impl<'a> Visitor<'a> for Reader<'_> {
    fn visit_body(&mut self, body: &'a [Stmt]) {
        self.depth += 1;
        visitor::walk_body(self, body);
        self.depth -= 1;
    }

    fn visit_decorator(&mut self, decorator: &'a Decorator) {
        self.effect(|reader| visitor::walk_decorator(reader, decorator));
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let outer = std::mem::replace(&mut self.statement_end, statement.end().to_usize());
        self.statement(statement);
        self.statement_end = outer;
    }

    fn visit_annotation(&mut self, expression: &'a Expr) {
        self.annotation(expression);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => self.name(&name.id, span(name.range), name.ctx),
            Expr::Attribute(attribute) => {
                if let Some(value) = dotted(&attribute.value) {
                    self.names.add_access(Access {
                        value,
                        member: attribute.attr.to_string(),
                        span: span(attribute.range),
                        scope: self.scope,
                        is_bound: attribute.ctx != ExprContext::Load,
                    });
                }
                self.visit_expr(&attribute.value);
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                self.in_scope(false, |reader| {
                    if let Some(parameters) = &lambda.parameters {
                        reader.bind_parameters(parameters);
                    }
                    reader.later(|reader| reader.visit_expr(&lambda.body));
                });
            }
            Expr::ListComp(one) => self.comprehension(&one.generators, &[&one.elt]),
            Expr::SetComp(one) => self.comprehension(&one.generators, &[&one.elt]),
            Expr::Generator(one) => self.comprehension(&one.generators, &[&one.elt]),
            Expr::DictComp(one) => {
                let key = one.key.iter().map(|key| &**key);
                let elements: Vec<&Expr> = key.chain([&*one.value]).collect();
                self.comprehension(&one.generators, &elements);
            }
            Expr::Named(one) => {
                self.visit_expr(&one.value);
                self.named_target(&one.target);
            }
            Expr::Call(call) => {
                let function = match &*call.func {
                    Expr::Name(name) => Some(name.id.as_str()),
                    Expr::Attribute(attribute) => Some(attribute.attr.as_str()),
                    _ => None,
                };
                if function.is_some_and(|name| ["__import__", "import_module"].contains(&name)) {
                    let first = call.arguments.args.first();
                    let path = first.and_then(Expr::as_string_literal_expr);
                    let path = path.map(|path| path.value.to_str().to_string());
                    self.names.loads.push((span(call.range()), path));
                }
                visitor::walk_expr(self, expression);
            }
            Expr::Subscript(subscript) => {
                self.visit_expr(&subscript.value);
                let value = dotted(&subscript.value).unwrap_or_default();
                let last = value.rsplit('.').next().unwrap_or_default();
                // `Dict["Name", int]` names a type that may be defined later.
                let is_type = self.is_annotation || last.starts_with(char::is_uppercase);
                let outer =
                    std::mem::replace(&mut self.is_annotation, is_type && last != "Literal");
                self.visit_expr(&subscript.slice);
                self.is_annotation = outer;
            }
            Expr::StringLiteral(string) if self.is_annotation => {
                for part in &string.value {
                    let parsed = ruff_python_parser::parse_string_annotation(self.text, part);
                    if let Ok(parsed) = parsed {
                        self.later(|reader| reader.visit_expr(parsed.expr()));
                    }
                }
            }
            other => visitor::walk_expr(self, other),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(own) = handler;
        self.bind_all(&own.name);
        visitor::walk_except_handler(self, handler);
    }

    fn visit_match_case(&mut self, case: &'a MatchCase) {
        visitor::walk_match_case(self, case);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(one) => self.bind_all(&one.name),
            Pattern::MatchStar(one) => self.bind_all(&one.name),
            Pattern::MatchMapping(one) => self.bind_all(&one.rest),
            _ => {}
        }
        visitor::walk_pattern(self, pattern);
    }
}

/// Returns whether a condition is `__name__ == "__main__"`.
fn is_script(test: &Expr) -> bool {
    let compared = test.as_compare_expr();
    compared.is_some_and(|one| {
        one.left
            .as_name_expr()
            .is_some_and(|name| name.id == "__name__")
    })
}

fn item(alias: &Alias, is_module: bool) -> ImportItem {
    let name = alias.name.to_string();
    let bound = match &alias.asname {
        Some(alias) => (alias.to_string(), span(alias.range)),
        None => {
            // `import a.b` binds `a`.
            let first = name.split('.').next().unwrap_or_default().to_string();
            let start = alias.name.start().to_usize();
            let end = start + first.len();
            (first, Span::new(start, end))
        }
    };
    ImportItem {
        span: span(alias.range),
        name,
        alias: alias.asname.as_ref().map(Identifier::to_string),
        bound,
        form: match is_module {
            true => ItemForm::Module,
            false => ItemForm::Named,
        },
        is_type: false,
    }
}

/// Returns the text of names that dots join.
fn dotted(expression: &Expr) -> Option<String> {
    match expression {
        Expr::Name(name) => Some(name.id.to_string()),
        Expr::Attribute(attribute) => {
            let value = dotted(&attribute.value)?;
            Some(format!("{value}.{}", attribute.attr))
        }
        _ => None,
    }
}

fn span(range: TextRange) -> Span {
    Span::new(range.start().to_usize(), range.end().to_usize())
}
