import { readFileSync } from 'node:fs';
import path from 'node:path';
import { replaceSection } from './marked-section';

export const ARCHITECTURE_PAGE = 'docs/architecture.md';
export const ARROWS_FILE = 'tools/arrows.json';

/** By layer, lowest first, and by project: the libraries that its code imports; tests may use more. */
export type Arrows = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

export const readArrows = (root: string): Arrows =>
  JSON.parse(readFileSync(path.join(root, ARROWS_FILE), 'utf8')) as Arrows;

const TITLES: Readonly<Record<string, string>> = {
  core: 'core: plain functions',
  platform: 'platform: Nest, NATS, Postgres, HTTP out',
  kit: 'kit: for backends, published',
  dev: 'dev: never in production',
  apps: 'apps',
};

/** Everything that a project imports, directly or indirectly. */
function reachable(below: ReadonlyMap<string, readonly string[]>, name: string): ReadonlySet<string> {
  return new Set((below.get(name) ?? []).flatMap((next) => [next, ...reachable(below, next)]));
}

/** Omits arrows that other arrows imply, so that the diagram stays readable. */
function withoutShortcuts(below: ReadonlyMap<string, readonly string[]>, name: string): string[] {
  const direct = below.get(name) ?? [];
  return direct.filter((target) => !direct.some((other) => other !== target && reachable(below, other).has(target)));
}

function diagram(arrows: Arrows): string {
  const below = new Map(Object.values(arrows).flatMap((projects) => Object.entries(projects)));
  const rooms = Object.entries(arrows).map(([room, projects]) => {
    const names = Object.keys(projects).map((name) => `    ${name}`);
    return [`  subgraph ${room}["${TITLES[room] ?? room}"]`, ...names, '  end'].join('\n');
  });
  const lines = [...below.keys()].flatMap((name) => {
    const targets = withoutShortcuts(below, name);
    return targets.length === 0 ? [] : [`  ${name} --> ${targets.join(' & ')}`];
  });
  return ['```mermaid', 'flowchart TB', ...rooms.reverse(), ...lines, '```'].join('\n');
}

function table(arrows: Arrows): string {
  const rows = Object.entries(arrows).flatMap(([room, projects]) =>
    Object.entries(projects).map(([name, below]) => {
      const cell = below.map((library) => `\`${library}\``).join(', ') || 'no other project';
      return `| \`${room === 'apps' ? 'apps' : `libs/${room}`}/${name}\` | ${cell} |`;
    }),
  );
  return ['| project | imports |', '| --- | --- |', ...rows].join('\n');
}

/** The page with the diagram and the table of the imports that lint allows, before formatting. */
export function architecturePage(root: string): string {
  const page = readFileSync(path.join(root, ARCHITECTURE_PAGE), 'utf8');
  const arrows = readArrows(root);
  return replaceSection(replaceSection(page, 'picture', diagram(arrows)), 'imports', table(arrows));
}
