import ts from 'typescript';

/** A log line that the code can write. */
export interface LogSentence {
  readonly level: string;
  /** Undefined if it is not a text in this place. */
  readonly sentence: string | undefined;
  readonly place: string;
}

const LEVELS = ['debug', 'info', 'warn', 'error'];
const LOGGER = /(?:^|[.#])logger$/i;

/** The texts that an expression may be; undefined for one that is made elsewhere. */
function textsOf(node: ts.Expression): readonly (string | undefined)[] {
  if (ts.isStringLiteralLike(node)) return [node.text];
  if (ts.isConditionalExpression(node)) return [...textsOf(node.whenTrue), ...textsOf(node.whenFalse)];
  if (ts.isParenthesizedExpression(node)) return textsOf(node.expression);
  return [undefined];
}

/** Every call of a logger in a file, with its sentence. */
export function logSentences(file: string, text: string): readonly LogSentence[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: LogSentence[] = [];
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit);
    if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return;
    const { expression, name } = node.expression;
    const [first] = node.arguments;
    if (!first || !LEVELS.includes(name.text) || !LOGGER.test(expression.getText())) return;
    const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
    for (const sentence of textsOf(first)) found.push({ level: name.text, sentence, place: `${file}:${line}` });
  };
  visit(source);
  return found;
}
