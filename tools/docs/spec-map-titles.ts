import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  createSourceFile,
  forEachChild,
  isArrayLiteralExpression,
  isCallExpression,
  isConditionalExpression,
  isIdentifier,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isStringLiteralLike,
  isTaggedTemplateExpression,
  isTemplateExpression,
  ScriptTarget,
  type CallExpression,
  type Node,
} from 'typescript';
import { filesBelow } from './repository-files';

/** A place where a test names a requirement. */
export interface TestTitle {
  readonly id: string;
  /** The path from the root of the repository, with slashes. */
  readonly file: string;
  /** The title of the test, without identifiers. */
  readonly title: string;
}

const FOLDERS = ['apps', 'e2e', 'libs', 'tools'];
const TEST_FILE = /\.(?:spec|int-spec|e2e-spec|fuzz-spec)\.ts$/;

/** Identifiers of requirements of the standards. */
export const SPEC_IDS = /\b(?:VP|VCI|EU):[A-Z]+\d*/g;
/** Identifiers of demands of the contract. */
export const CONTRACT_IDS = /\b[CW]:\d+(?:\.\d+)*/g;

/**
 * True for tests of development tools, above all the demonstration wallet: that the wallet refuses a violation of a
 * requirement proves nothing about the product.
 */
export const isDevelopmentFile = (file: string) => /(?:^|\/)libs\/dev\//.test(file);

/** The identifiers named in a string, of requirements of the standards unless others are asked for. */
export const idsIn = (text: string, ids = SPEC_IDS): string[] => [...new Set(text.match(ids) ?? [])];

function textOf(node: Node): string | undefined {
  if (isStringLiteralLike(node)) return node.text;
  if (!isTemplateExpression(node)) return undefined;
  return [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…');
}

const withoutIds = (text: string) =>
  text
    .replace(SPEC_IDS, '')
    .replace(CONTRACT_IDS, '')
    .replace(/%(?:\.\d+)?[sdifjo#p]/g, '…')
    .replace(/\s+/g, ' ')
    .replace(/^[\s,]+|\s+$/g, '');

/**
 * The names of a called function: `['it', 'each']` for `it.each(table)(title, test)`; of a conditional, its first
 * branch.
 */
function calledNames(callee: Node): string[] {
  if (isIdentifier(callee)) return [callee.text];
  if (isPropertyAccessExpression(callee)) return [...calledNames(callee.expression), callee.name.text];
  if (isCallExpression(callee) || isParenthesizedExpression(callee)) return calledNames(callee.expression);
  if (isTaggedTemplateExpression(callee)) return calledNames(callee.tag);
  if (isConditionalExpression(callee)) return calledNames(callee.whenTrue);
  return [];
}

type Kind = 'test' | 'never_run' | 'other';

function kindOf(call: CallExpression): Kind {
  const [first = '', ...more] = calledNames(call.expression);
  const known = /^[xf]?(?:it|test|describe)$/.test(first);
  if (!known) return 'other';
  if (first.startsWith('x') || more.includes('skip') || more.includes('todo')) return 'never_run';
  return first.endsWith('describe') ? 'other' : 'test';
}

/** The title for a table cell that contains nothing but identifiers: the strings beside it, else the table's title. */
function titleBeside(cell: Node, tableTitle: string): string {
  const row = isArrayLiteralExpression(cell.parent) ? cell.parent.elements : [];
  const beside = row.filter((other) => other !== cell).flatMap((other) => textOf(other) ?? []);
  return withoutIds(beside.join(' ')) || tableTitle;
}

/** The arguments of a call that may name requirements, each with the title of its table if it is in one. */
function namingParts(call: CallExpression, tableTitle: string): (readonly [Node, string])[] {
  const kind = kindOf(call);
  if (kind === 'never_run') return [];
  const [first, ...more] = call.arguments;
  const title = withoutIds((first && textOf(first)) ?? '');
  const callee = [call.expression, isCallExpression(call.expression) ? title : tableTitle] as const;
  const read = first ? [first, ...(kind === 'test' ? [] : more)] : [];
  return [callee, ...read.map((argument) => [argument, tableTitle] as const)];
}

/**
 * The requirements that a test file names, in titles of tests and groups and in tables of test cases. The bodies of
 * tests are ignored, and so are tests that never run.
 */
export function titlesOfSource(file: string, text: string, ids = SPEC_IDS): TestTitle[] {
  const found: TestTitle[] = [];
  const visit = (node: Node, tableTitle: string): void => {
    const literal = textOf(node) ?? '';
    for (const id of idsIn(literal, ids)) {
      found.push({ id, file, title: withoutIds(literal) || titleBeside(node, tableTitle) });
    }
    if (isCallExpression(node)) for (const [part, title] of namingParts(node, tableTitle)) visit(part, title);
    else forEachChild(node, (child) => visit(child, tableTitle));
  };
  visit(createSourceFile(file, text, ScriptTarget.Latest, true), '');
  return found;
}

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** Every test of the repository that names a requirement, once each, ordered by file and title. */
export function findTestTitles(root: string, ids = SPEC_IDS): TestTitle[] {
  const files = FOLDERS.flatMap((folder) => filesBelow(root, folder)).filter((file) => TEST_FILE.test(file));
  const found = files.flatMap((file) => {
    const text = readFileSync(path.join(root, file), 'utf8');
    return idsIn(text, ids).length === 0 ? [] : titlesOfSource(file, text, ids);
  });
  const unique = new Map(found.map((entry) => [`${entry.id}\n${entry.file}\n${entry.title}`, entry]));
  return [...unique.keys()].sort(byText).map((key) => unique.get(key) as TestTitle);
}
