import path from 'node:path';
import {
  createCompilerHost,
  createProgram,
  createSourceFile,
  forEachChild,
  isArrowFunction,
  isCallExpression,
  isClassDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isFunctionTypeNode,
  isIdentifier,
  isInterfaceDeclaration,
  isIntersectionTypeNode,
  isPropertyAccessExpression,
  isPropertySignature,
  isReturnStatement,
  isTypeReferenceNode,
  isVariableStatement,
  ScriptTarget,
  type FunctionLikeDeclaration,
  type Node,
  type Program,
  type SourceFile,
  type Symbol as TypeSymbol,
  type Type,
  type TypeChecker,
} from 'typescript';

export type Sources = ReadonlyMap<string, string>;
/** The file of an import, or undefined for a package. */
export type Resolve = (from: string, name: string) => string | undefined;

/** The dependencies of a function in `use-cases/`. */
export interface Needs {
  /** `<file>: <function>`. */
  readonly place: string;
  readonly count: number;
}

const USE_CASE = /^apps\/[^/]+\/src\/use-cases\/[^/]+\.ts$/;
const isUseCase = (file: string) => USE_CASE.test(file) && !file.endsWith('spec.ts');

/** A program of these sources only: packages are unknown, and an unknown type still counts as one dependency. */
function programOf(sources: Sources, resolve: Resolve): Program {
  const options = { target: ScriptTarget.ES2022, lib: ['lib.es2022.d.ts'], types: [], noEmit: true };
  const host = createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (file, ...rest) => {
    const text = sources.get(file);
    return text === undefined ? getSourceFile(file, ...rest) : createSourceFile(file, text, ScriptTarget.ES2022, true);
  };
  host.fileExists = (file) => sources.has(file);
  host.getCurrentDirectory = () => '';
  host.resolveModuleNameLiterals = (names, from) =>
    names.map(({ text }) => {
      const file = resolve(path.posix.normalize(from), text);
      return { resolvedModule: file === undefined ? undefined : { resolvedFileName: file, extension: '.ts' } };
    });
  return createProgram([...sources.keys()].filter(isUseCase), options, host);
}

/** The top-level functions of a file, with their names. */
function topFunctions(source: SourceFile): [name: string, made: FunctionLikeDeclaration][] {
  return source.statements.flatMap((statement): [string, FunctionLikeDeclaration][] => {
    if (isFunctionDeclaration(statement)) return [[statement.name?.text ?? '', statement]];
    if (!isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(
      ({ name, initializer }): [string, FunctionLikeDeclaration][] =>
        initializer && isArrowFunction(initializer) && isIdentifier(name) ? [[name.text, initializer]] : [],
    );
  });
}

const isFunction = (node: Node | undefined) => !!node && (isArrowFunction(node) || isFunctionExpression(node));

/** The functions that a function itself returns. */
function returnedFunctions(made: FunctionLikeDeclaration): Node[] {
  const { body } = made;
  if (!body) return [];
  if (isFunction(body)) return [body];
  const found: Node[] = [];
  const visit = (node: Node): void => {
    if (isFunction(node) || isFunctionDeclaration(node)) return;
    if (isReturnStatement(node) && node.expression && isFunction(node.expression)) found.push(node.expression);
    forEachChild(node, visit);
  };
  forEachChild(body, visit);
  return found;
}

const isOfApps = (symbol: TypeSymbol | undefined) =>
  !!symbol?.declarations?.some((declaration) => declaration.getSourceFile().fileName.startsWith('apps/'));

/** One per member; a member that is an object of functions, such as a whole store, counts as many as it contains. */
function countNeeds(checker: TypeChecker, type: Type): number {
  const counts = checker.getPropertiesOfType(type).map((property) => {
    const member = checker.getNonNullableType(checker.getTypeOfSymbol(property));
    if (member.getCallSignatures().length > 0 || !isOfApps(member.aliasSymbol ?? member.symbol)) return 1;
    const callable = checker
      .getPropertiesOfType(member)
      .filter((inner) => checker.getNonNullableType(checker.getTypeOfSymbol(inner)).getCallSignatures().length > 0);
    return Math.max(1, callable.length);
  });
  return counts.reduce((sum, count) => sum + count, 0);
}

/**
 * The number of dependencies of each function in `use-cases/` that takes deps, or makes a function from its first
 * parameter.
 */
export function useCaseNeeds(sources: Sources, resolve: Resolve): Needs[] {
  const program = programOf(sources, resolve);
  const checker = program.getTypeChecker();
  return program
    .getSourceFiles()
    .filter(({ fileName }) => isUseCase(fileName))
    .flatMap((source) =>
      topFunctions(source).flatMap(([name, made]) => {
        const [first] = made.parameters;
        if (!first) return [];
        const type = checker.getTypeAtLocation(first);
        const isDeps =
          /Deps$/.test((type.aliasSymbol ?? type.symbol)?.name ?? '') || /^deps$/.test(first.name.getText());
        const isMaker = returnedFunctions(made).length > 0 && (isOfApps(type.symbol) || type.isIntersection());
        if (!isDeps && !isMaker) return [];
        return [{ place: `${source.fileName}: ${name}`, count: countNeeds(checker, type) }];
      }),
    );
}

const parse = (file: string, text: string) => createSourceFile(file, text, ScriptTarget.ES2022, true);

/** Functions in `use-cases/` that return a function with another name, or without one. */
export function misnamedUseCases(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => isUseCase(file))
    .flatMap(([file, text]) =>
      topFunctions(parse(file, text)).flatMap(([name, made]) =>
        returnedFunctions(made)
          .filter((inner) => !isFunctionExpression(inner) || inner.name?.text !== name)
          .map(() => `${file}: ${name}`),
      ),
    );
}

function nodesOf(source: SourceFile): Node[] {
  const nodes: Node[] = [];
  const visit = (node: Node): void => {
    nodes.push(node);
    forEachChild(node, visit);
  };
  visit(source);
  return nodes;
}

const isPick = (node: Node) => isTypeReferenceNode(node) && node.typeName.getText() === 'Pick';

/** Wiring that hides dependencies: types made of several `Pick`s, and `.bind`. */
export function hiddenWiring(sources: Sources): string[] {
  return [...sources].flatMap(([file, text]) =>
    nodesOf(parse(file, text)).flatMap((node) => {
      if (isIntersectionTypeNode(node) && node.types.filter(isPick).length > 1) return [`${file}: Pick & Pick`];
      const called = isCallExpression(node) && node.expression;
      return called && isPropertyAccessExpression(called) && called.name.text === 'bind' ? [`${file}: .bind`] : [];
    }),
  );
}

/** Stores that are classes. */
export const storeClasses = (sources: Sources): string[] =>
  [...sources]
    .filter(([file, text]) => file.endsWith('.store.ts') && parse(file, text).statements.some(isClassDeclaration))
    .map(([file]) => file);

const membersOf = (node: Node) => (isInterfaceDeclaration(node) ? node.members.filter(isPropertySignature) : []);

/** Members of deps that repeat the type of a port, which is named in `domain/ports.ts` of the app. */
export function portsNamedTwice(sources: Sources): string[] {
  return [...sources]
    .filter(([file]) => isUseCase(file))
    .flatMap(([file, text]) => {
      const ports = file.replace(/use-cases\/.*$/, 'domain/ports.ts');
      const named = nodesOf(parse(ports, sources.get(ports) ?? ''))
        .flatMap(membersOf)
        .map(({ name }) => name.getText());
      return nodesOf(parse(file, text))
        .flatMap(membersOf)
        .filter(({ name, type }) => type && isFunctionTypeNode(type) && named.includes(name.getText()))
        .map(({ name }) => `${file}: ${name.getText()}`);
    });
}
