import { posix } from 'node:path';
import * as ts from 'typescript';

/** What one file exports, and what it imports. */
interface FileFacts {
  /** Names declared and exported here. */
  readonly declared: readonly string[];
  /** Types among them that another export here refers to: a file that uses that one uses them too. */
  readonly named: readonly string[];
  /** Re-exported names from another file: `export { a as b } from`. */
  readonly passed: readonly { readonly name: string; readonly from: string; readonly original: string }[];
  /** Files whose names are all re-exported here: `export * from`. */
  readonly passedWhole: readonly string[];
  readonly taken: readonly { readonly from: string; readonly name: string }[];
  /** Files that are used as a whole: `import * as`, `import()`, `require()`, `jest.mock()`. */
  readonly takenWhole: readonly string[];
}

/** Finds the file of an import; undefined for a package. */
export type Resolve = (from: string, specifier: string) => string | undefined;

const isExported = (node: ts.Node) =>
  ts.canHaveModifiers(node) && (ts.getModifiers(node) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

function namesOf(node: ts.Statement): string[] {
  if (!isExported(node)) return [];
  if (ts.isVariableStatement(node)) return node.declarationList.declarations.flatMap(({ name }) => bindingNames(name));
  const { name } = node as ts.Statement & { readonly name?: ts.Node };
  return name && ts.isIdentifier(name) ? [name.text] : [];
}

function identifiersIn(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (inner: ts.Node): void => {
    if (ts.isIdentifier(inner)) found.push(inner.text);
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found;
}

function typesNamedByExports(source: ts.SourceFile): string[] {
  const exported = source.statements.filter(isExported);
  const types = exported.filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node));
  return types.flatMap((type) => {
    const name = type.name.text;
    return exported.some((other) => other !== type && identifiersIn(other).includes(name)) ? [name] : [];
  });
}

function bindingNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? bindingNames(element.name) : []));
}

function specifierOf(node: ts.ImportDeclaration | ts.ExportDeclaration): string | undefined {
  const { moduleSpecifier } = node;
  return moduleSpecifier && ts.isStringLiteral(moduleSpecifier) ? moduleSpecifier.text : undefined;
}

/** `import('x')`, `require('x')`, `jest.requireActual('x')`, and the type `import('x').Y`. */
function dynamicSpecifiers(source: ts.SourceFile): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [first] = node.arguments;
      const loads =
        node.expression.kind === ts.SyntaxKind.ImportKeyword || /require|mock/i.test(node.expression.getText(source));
      if (loads && first && ts.isStringLiteralLike(first)) found.push(first.text);
    }
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument) && ts.isStringLiteral(node.argument.literal))
      found.push(node.argument.literal.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function readImport(node: ts.ImportDeclaration, from: string): Pick<FileFacts, 'taken' | 'takenWhole'> {
  const clause = node.importClause;
  const bindings = clause?.namedBindings;
  const whole = bindings !== undefined && ts.isNamespaceImport(bindings);
  const named =
    bindings && ts.isNamedImports(bindings)
      ? bindings.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
      : [];
  const all = clause?.name ? ['default', ...named] : named;
  return { taken: all.map((name) => ({ from, name })), takenWhole: whole ? [from] : [] };
}

function readExport({ exportClause }: ts.ExportDeclaration, from: string): Pick<FileFacts, 'passed' | 'passedWhole'> {
  if (!exportClause) return { passed: [], passedWhole: [from] };
  const elements = ts.isNamedExports(exportClause) ? exportClause.elements : [];
  const passed = elements.map(({ name, propertyName }) => ({
    name: name.text,
    from,
    original: (propertyName ?? name).text,
  }));
  return { passed, passedWhole: [] };
}

function readFacts(file: string, text: string, resolve: Resolve): FileFacts {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const named = typesNamedByExports(source);
  const facts = { declared: [], named, passed: [], passedWhole: [], taken: [], takenWhole: [] } as {
    -readonly [Key in keyof FileFacts]: FileFacts[Key][number][];
  };
  facts.declared.push(...source.statements.flatMap(namesOf));
  for (const node of source.statements) {
    if (!ts.isImportDeclaration(node) && !ts.isExportDeclaration(node)) continue;
    const specifier = specifierOf(node);
    const from = specifier === undefined ? undefined : resolve(file, specifier);
    if (ts.isImportDeclaration(node)) {
      const { taken, takenWhole } = from === undefined ? { taken: [], takenWhole: [] } : readImport(node, from);
      facts.taken.push(...taken);
      facts.takenWhole.push(...takenWhole);
    } else if (from !== undefined) {
      const { passed, passedWhole } = readExport(node, from);
      facts.passed.push(...passed);
      facts.passedWhole.push(...passedWhole);
    }
  }
  facts.takenWhole.push(...dynamicSpecifiers(source).flatMap((specifier) => resolve(file, specifier) ?? []));
  return facts;
}

/** Resolves aliases to a file and relative specifiers to a file or its `index.ts`. */
export function resolver(files: ReadonlySet<string>, aliases: ReadonlyMap<string, string>): Resolve {
  return (from, specifier) => {
    const alias = aliases.get(specifier);
    if (alias !== undefined) return alias;
    if (!specifier.startsWith('.')) return undefined;
    const base = posix.join(posix.dirname(from), specifier);
    return [`${base}.ts`, `${base}/index.ts`, base].find((candidate) => files.has(candidate));
  };
}

/** An export, as `file#name`, and the files that use it. Types that another export refers to are left out. */
export type Takers = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * For each name that a file declares and exports, the other files that use it, through any chain of re-exports. A name
 * that an index only re-exports counts as unused.
 */
export function takersOf(sources: ReadonlyMap<string, string>, aliases: ReadonlyMap<string, string>): Takers {
  const resolve = resolver(new Set(sources.keys()), aliases);
  const facts = new Map([...sources].map(([file, text]) => [file, readFacts(file, text, resolve)]));
  const takers = new Map<string, Set<string>>();
  for (const [file, { declared, named }] of facts)
    for (const name of declared) if (!named.includes(name)) takers.set(`${file}#${name}`, new Set());

  const take = (file: string, name: string, by: string, seen = new Set<string>()): void => {
    const key = `${file}#${name}`;
    const known = takers.get(key);
    if (known && file !== by) known.add(by);
    if (known || seen.has(key)) return;
    seen.add(key);
    const { passed = [], passedWhole = [] } = facts.get(file) ?? {};
    for (const one of passed) if (one.name === name) take(one.from, one.original, by, seen);
    for (const from of passedWhole) take(from, name, by, seen);
  };
  const takeAll = (file: string, by: string, seen = new Set<string>()): void => {
    if (seen.has(file)) return;
    seen.add(file);
    const { declared = [], passed = [], passedWhole = [] } = facts.get(file) ?? {};
    for (const name of declared) take(file, name, by);
    for (const one of passed) take(one.from, one.original, by);
    for (const from of passedWhole) takeAll(from, by, seen);
  };
  for (const [file, { taken, takenWhole }] of facts) {
    for (const { from, name } of taken) take(from, name, file);
    for (const from of takenWhole) takeAll(from, file);
  }
  return takers;
}
