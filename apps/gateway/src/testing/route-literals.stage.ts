import ts from 'typescript';
import type { Route } from '../http/routes';

/** A route named in a source, outside of the declarations themselves. */
export interface RouteLiteral {
  readonly line: number;
  readonly text: string;
}

/** Calls whose arguments declare routes. */
const DECLARING = new Set(['Controller', 'Get', 'Post', 'Put', 'Patch', 'Delete']);
/** Words that often mean something else; they count as part of a path only with a slash. */
const PLAIN_WORD = /^[a-z]+$/;

/** A pointer into an API description: `#/components/schemas/Draft`. */
const JSON_POINTER = /^#\//;

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const fixedSegments = ({ path }: Route): string[] =>
  path.split('/').filter((segment) => segment !== '' && !segment.startsWith(':'));

/**
 * Matches what names a route: `/` and its first segment, two of its consecutive segments, or one that is not a plain
 * word.
 */
function namesRoute(routes: readonly Route[]): RegExp {
  const first = routes.map((route) => `/${escaped(route.path.split('/')[1] ?? '')}(?![\\w-])`);
  const pairs = routes.flatMap(({ path }) => {
    const segments = path.split('/').slice(1);
    return segments.slice(1).flatMap((segment, at) => {
      const pair = [segments[at] ?? '', segment];
      return pair.some((one) => one.startsWith(':')) ? [] : [`(?<![\\w-])${pair.map(escaped).join('/')}(?![\\w-])`];
    });
  });
  const words = routes.flatMap(fixedSegments).filter((word) => !PLAIN_WORD.test(word));
  return new RegExp([...new Set([...first, ...pairs, ...words.map((word) => `^${escaped(word)}$`)])].join('|'));
}

function textOf(node: ts.Node): string | undefined {
  // Each alternative of a pattern is checked as if it stood alone.
  if (ts.isRegularExpressionLiteral(node))
    return node.text.replaceAll(/\\(?=[/.])/g, '').replaceAll(/\(\?:|[(|]/g, '/');
  const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
  return isText ? node.text : undefined;
}

function isElsewhere(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent)) return false;
  return !(ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && DECLARING.has(parent.expression.text));
}

/** Every literal of a source that names one of these routes without declaring it; comments are ignored. */
export function findRouteLiterals(source: string, routes: readonly Route[]): RouteLiteral[] {
  const file = ts.createSourceFile('source.ts', source, ts.ScriptTarget.Latest, true);
  const pattern = namesRoute(routes);
  const found: RouteLiteral[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && !JSON_POINTER.test(text) && pattern.test(text) && isElsewhere(node)) {
      found.push({ line: file.getLineAndCharacterOfPosition(node.getStart()).line + 1, text });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}
