import { Alert, List, Text } from '@mantine/core';
import { useId, useMemo } from 'react';
import type { Fault } from './api';
import { lineOf, linesOf } from './json-lines';
import { useSpeech } from './language';

/** A fault with its line. */
interface Placed extends Fault {
  readonly line: number;
}

function placed(text: string, faults: readonly Fault[]): Placed[] {
  if (faults.length === 0) return [];
  const lines = linesOf(text);
  return faults.map((fault) => ({ ...fault, line: lineOf(lines, fault.path) }));
}

function Gutter({ count, marked }: { readonly count: number; readonly marked: ReadonlySet<number> }) {
  const lines = Array.from({ length: count }, (_, index) => index + 1);
  return (
    <div className="gutter" aria-hidden="true">
      {lines.map((line) => (
        <span key={line} className={marked.has(line) ? 'gutter-bad' : undefined}>
          {line}
        </span>
      ))}
    </div>
  );
}

/** What the API refuses, beside the lines: on wide windows at their ends, for everybody as a list below. */
function Notes({ all, count }: { readonly all: readonly Placed[]; readonly count: number }) {
  const lines = Array.from({ length: count }, (_, index) => index + 1);
  return (
    <div className="notes" aria-hidden="true">
      {lines.map((line) => (
        <span key={line} className={all.some((fault) => fault.line === line) ? 'note' : undefined}>
          {all.find((fault) => fault.line === line)?.message ?? '\u00a0'}
        </span>
      ))}
    </div>
  );
}

interface EditorProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Faults of this very text. */
  readonly faults: readonly Fault[];
  /** Why the text is no JSON. */
  readonly jsonFault: string | undefined;
}

/** An editor for JSON, with line numbers and the faults of the API beside the lines. */
export function Editor({ value, onChange, faults, jsonFault }: EditorProps) {
  const { text } = useSpeech();
  const id = useId();
  const all = useMemo(() => placed(value, faults), [value, faults]);
  const count = value.split('\n').length;
  const marked = new Set(all.map(({ line }) => line));
  const isWrong = all.length > 0 || jsonFault !== undefined;
  return (
    <>
      <div className={isWrong ? 'editor editor-bad' : 'editor'}>
        <Gutter count={count} marked={marked} />
        <div className="editor-text">
          <Notes all={all} count={count} />
          <textarea
            aria-label={text('editorLabel')}
            aria-invalid={isWrong}
            aria-describedby={isWrong ? id : undefined}
            spellCheck={false}
            autoComplete="off"
            wrap="off"
            rows={count}
            value={value}
            onChange={(event) => onChange(event.currentTarget.value)}
          />
        </div>
      </div>
      <div id={id} role="status">
        {jsonFault !== undefined && (
          <Alert color="red" mt="sm" title={text('notJson')} className="alert">
            {jsonFault}
          </Alert>
        )}
        {all.length > 0 && (
          <Alert color="red" mt="sm" title={text('faults')} className="alert">
            <List size="sm">
              {all.map(({ path, message, line }) => (
                <List.Item key={`${path} ${message}`}>
                  <Text span fw={600} size="sm">
                    {text('line')} {line}
                  </Text>{' '}
                  <code>{path}</code> {message}
                </List.Item>
              ))}
            </List>
          </Alert>
        )}
      </div>
    </>
  );
}
