//! Checks Python with ruff's parser, and the syntax errors that depend on the scope of a statement or expression.

use std::cell::{Cell, RefCell};

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Comprehension, Expr, Parameters, PythonVersion, Stmt};
use ruff_python_parser::semantic_errors::{
    LazyImportContext, SemanticSyntaxChecker, SemanticSyntaxContext, SemanticSyntaxError,
};
use ruff_text_size::TextRange;

use super::{Code, StrictProblem};

/// Returns the first problem in a Python module, as the latest version of Python reads it.
pub(in crate::language) fn check_python(code: &Code<'_>) -> Option<StrictProblem> {
    let parsed = match ruff_python_parser::parse_module(code.text) {
        Ok(parsed) => parsed,
        Err(error) => {
            return Some(StrictProblem {
                message: error.error.to_string(),
                offset: error.location.start().to_usize(),
            });
        }
    };
    let mut reader = Reader {
        checker: SemanticSyntaxChecker::new(),
        context: Context {
            text: code.text,
            scopes: vec![Scope::new(ScopeKind::Module, parsed.suite())],
            has_future_annotations: Cell::new(code.path.ends_with(".pyi")),
            problem: RefCell::new(None),
        },
    };
    reader.visit_body(parsed.suite());
    reader.context.problem.into_inner()
}

/// Visits all statements and expressions with the scopes that contain them.
struct Reader<'t> {
    checker: SemanticSyntaxChecker,
    context: Context<'t>,
}

struct Context<'t> {
    text: &'t str,
    /// From the module to the innermost scope.
    scopes: Vec<Scope<'t>>,
    has_future_annotations: Cell<bool>,
    /// The first problem.
    problem: RefCell<Option<StrictProblem>>,
}

struct Scope<'t> {
    kind: ScopeKind<'t>,
    /// The number of loops in the scope that contain the statement.
    loops: usize,
    /// The names that the scope declares as global, and where.
    globals: Vec<(&'t str, TextRange)>,
}

#[derive(Clone, Copy)]
enum ScopeKind<'t> {
    Module,
    Class,
    Function {
        is_async: bool,
        parameters: &'t Parameters,
    },
    Lambda(Option<&'t Parameters>),
    Comprehension {
        is_generator: bool,
    },
}

impl<'t> Scope<'t> {
    fn new(kind: ScopeKind<'t>, body: &'t [Stmt]) -> Scope<'t> {
        let mut globals = Globals(Vec::new());
        globals.visit_body(body);
        Scope {
            kind,
            loops: 0,
            globals: globals.0,
        }
    }
}

/// Collects the names that statements declare as global, without those of inner scopes.
struct Globals<'t>(Vec<(&'t str, TextRange)>);

impl<'t> Visitor<'t> for Globals<'t> {
    fn visit_stmt(&mut self, statement: &'t Stmt) {
        match statement {
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            Stmt::Global(global) => {
                let names = global.names.iter();
                self.0
                    .extend(names.map(|name| (name.as_str(), global.range)));
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, _: &'t Expr) {}
}

impl<'t> Reader<'t> {
    fn in_scope(&mut self, kind: ScopeKind<'t>, body: &'t [Stmt], visit: impl FnOnce(&mut Self)) {
        self.context.scopes.push(Scope::new(kind, body));
        visit(self);
        self.context.scopes.pop();
    }

    fn visit_loop(&mut self, body: &'t [Stmt]) {
        let scope = self.context.scopes.len() - 1;
        self.context.scopes[scope].loops += 1;
        self.visit_body(body);
        self.context.scopes[scope].loops -= 1;
    }

    /// Visits a comprehension: its first iterable is outside its scope.
    fn visit_generators(
        &mut self,
        generators: &'t [Comprehension],
        elements: &[&'t Expr],
        is_generator: bool,
    ) {
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        let kind = ScopeKind::Comprehension { is_generator };
        self.in_scope(kind, &[], |reader| {
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
        });
    }
}

impl<'t> Visitor<'t> for Reader<'t> {
    fn visit_stmt(&mut self, statement: &'t Stmt) {
        self.checker.visit_stmt(statement, &self.context);
        match statement {
            Stmt::FunctionDef(function) => {
                for decorator in &function.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(parameters) = &function.type_params {
                    self.visit_type_params(parameters);
                }
                self.visit_parameters(&function.parameters);
                if let Some(returns) = &function.returns {
                    self.visit_annotation(returns);
                }
                let kind = ScopeKind::Function {
                    is_async: function.is_async,
                    parameters: &function.parameters,
                };
                self.in_scope(kind, &function.body, |reader| {
                    reader.visit_body(&function.body);
                });
            }
            Stmt::ClassDef(class) => {
                for decorator in &class.decorator_list {
                    self.visit_decorator(decorator);
                }
                if let Some(parameters) = &class.type_params {
                    self.visit_type_params(parameters);
                }
                if let Some(arguments) = &class.arguments {
                    self.visit_arguments(arguments);
                }
                self.in_scope(ScopeKind::Class, &class.body, |reader| {
                    reader.visit_body(&class.body);
                });
            }
            Stmt::For(one) => {
                self.visit_expr(&one.iter);
                self.visit_expr(&one.target);
                self.visit_loop(&one.body);
                self.visit_body(&one.orelse);
            }
            Stmt::While(one) => {
                self.visit_expr(&one.test);
                self.visit_loop(&one.body);
                self.visit_body(&one.orelse);
            }
            Stmt::ImportFrom(import) => {
                let is_future = import
                    .module
                    .as_ref()
                    .is_some_and(|name| name.as_str() == "__future__");
                let mut names = import.names.iter();
                if is_future && names.any(|alias| alias.name.as_str() == "annotations") {
                    self.context.has_future_annotations.set(true);
                }
            }
            other => visitor::walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, expression: &'t Expr) {
        self.checker.visit_expr(expression, &self.context);
        match expression {
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.visit_parameters(parameters);
                }
                let kind = ScopeKind::Lambda(lambda.parameters.as_deref());
                self.in_scope(kind, &[], |reader| reader.visit_expr(&lambda.body));
            }
            Expr::ListComp(one) => self.visit_generators(&one.generators, &[&one.elt], false),
            Expr::SetComp(one) => self.visit_generators(&one.generators, &[&one.elt], false),
            Expr::Generator(one) => self.visit_generators(&one.generators, &[&one.elt], true),
            Expr::DictComp(one) => {
                let elements: Vec<&Expr> = one
                    .key
                    .iter()
                    .chain([&one.value])
                    .map(|own| &**own)
                    .collect();
                self.visit_generators(&one.generators, &elements, false);
            }
            other => visitor::walk_expr(self, other),
        }
    }
}

impl Context<'_> {
    fn scope(&self) -> Option<&Scope<'_>> {
        self.scopes.last()
    }

    /// Returns the scopes from the innermost to the outermost.
    fn kinds(&self) -> impl Iterator<Item = ScopeKind<'_>> {
        self.scopes.iter().rev().map(|scope| scope.kind)
    }

    /// Returns the innermost scope that is not a comprehension.
    fn body(&self) -> Option<ScopeKind<'_>> {
        self.kinds()
            .find(|kind| !matches!(kind, ScopeKind::Comprehension { .. }))
    }
}

impl SemanticSyntaxContext for Context<'_> {
    fn future_annotations_or_stub(&self) -> bool {
        self.has_future_annotations.get()
    }

    fn lazy_import_context(&self) -> Option<LazyImportContext> {
        None
    }

    fn python_version(&self) -> PythonVersion {
        PythonVersion::latest()
    }

    fn source(&self) -> &str {
        self.text
    }

    fn global(&self, name: &str) -> Option<TextRange> {
        let globals = self.scope()?.globals.iter();
        let mut own = globals.filter(|(global, _)| *global == name);
        own.next().map(|(_, range)| *range)
    }

    /// The bindings of enclosing functions are not collected.
    fn has_nonlocal_binding(&self, _: &str) -> bool {
        true
    }

    fn in_async_context(&self) -> bool {
        matches!(
            self.body(),
            Some(ScopeKind::Function { is_async: true, .. })
        )
    }

    fn in_await_allowed_context(&self) -> bool {
        let body = self.body();
        matches!(
            body,
            Some(ScopeKind::Function { .. } | ScopeKind::Lambda(_))
        )
    }

    fn in_yield_allowed_context(&self) -> bool {
        let scope = self.kinds().next();
        matches!(
            scope,
            Some(ScopeKind::Function { .. } | ScopeKind::Lambda(_))
        )
    }

    /// Only versions of Python before 3.11 refuse asynchronous comprehensions there.
    fn in_sync_comprehension(&self) -> bool {
        false
    }

    fn in_class_body_comprehension(&self) -> bool {
        matches!(self.body(), Some(ScopeKind::Class))
    }

    fn in_module_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    fn in_function_scope(&self) -> bool {
        matches!(self.kinds().next(), Some(ScopeKind::Function { .. }))
    }

    fn in_generator_context(&self) -> bool {
        let mut inner = self.kinds().map_while(|kind| match kind {
            ScopeKind::Comprehension { is_generator } => Some(is_generator),
            _ => None,
        });
        inner.any(|is_generator| is_generator)
    }

    fn in_notebook(&self) -> bool {
        false
    }

    fn report_semantic_error(&self, error: SemanticSyntaxError) {
        let mut problem = self.problem.borrow_mut();
        problem.get_or_insert_with(|| StrictProblem {
            message: error.to_string(),
            offset: error.range.start().to_usize(),
        });
    }

    fn in_loop_context(&self) -> bool {
        self.scope().is_some_and(|scope| scope.loops > 0)
    }

    fn is_bound_parameter(&self, name: &str) -> bool {
        let parameters = self.scope().and_then(|scope| match scope.kind {
            ScopeKind::Function { parameters, .. } => Some(parameters),
            ScopeKind::Lambda(parameters) => parameters,
            _ => None,
        });
        parameters.is_some_and(|parameters| parameters.includes(name))
    }
}
