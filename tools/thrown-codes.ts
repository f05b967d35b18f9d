import * as ts from 'typescript';

const COMPARISONS: ReadonlySet<ts.SyntaxKind> = new Set([
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
]);

/** Does the node only test for a code, and not produce one: a comparison, `case`, `set.has('code')`? */
function onlyAsks(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isBinaryExpression(parent)) return COMPARISONS.has(parent.operatorToken.kind);
  if (ts.isCaseClause(parent) || ts.isLiteralTypeNode(parent)) return true;
  if (!ts.isCallExpression(parent) || !ts.isPropertyAccessExpression(parent.expression)) return false;
  return ['has', 'includes', 'startsWith'].includes(parent.expression.name.text);
}

const isTableKey = (node: ts.Node) => ts.isPropertyAssignment(node.parent) && node.parent.name === node;

/** A template with one placeholder, such as `${name}_malformed`: its text before and after the placeholder. */
type Template = readonly [before: string, after: string];

function templateOf(node: ts.Node): Template | undefined {
  if (!ts.isTemplateExpression(node) || node.templateSpans.length !== 1) return undefined;
  const after = node.templateSpans[0]?.literal.text ?? '';
  return /^[a-z_]*$/.test(node.head.text) && /^_[a-z_]+$/.test(after) ? [node.head.text, after] : undefined;
}

/** The codes that a file could put into an error. */
function codesOf(text: string): string[] {
  const [produced, named, templates]: [string[], string[], Template[]] = [[], [], []];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isModuleDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) && !isTableKey(node)) {
      named.push(node.text);
      if (!onlyAsks(node)) produced.push(node.text);
    }
    const template = templateOf(node);
    if (template) templates.push(template);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile('source.ts', text, ts.ScriptTarget.ES2022, true));
  return [...produced, ...templates.flatMap(([before, after]) => named.map((name) => `${before}${name}${after}`))];
}

/**
 * The strings that the files could put into an error as its code: their literals, except those that are only compared
 * with, and their templates, filled with strings of the same file.
 */
export function throwableCodes(sources: Iterable<string>): ReadonlySet<string> {
  return new Set([...sources].flatMap(codesOf));
}
