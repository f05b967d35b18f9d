import { readFileSync } from 'node:fs';
import path from 'node:path';

/** A chart reads no files outside its folder. */
export const CHART_ALERTS = 'deploy/kubernetes/alerts.yaml';
const SOURCE = 'deploy/observability/alerts.yaml';

/** The rules for Prometheus, for the PrometheusRule of the chart. */
export const chartAlerts = (root: string): string =>
  `# A copy of ${SOURCE}, made by \`npm run docs\`.\n${readFileSync(path.join(root, SOURCE), 'utf8')}`;
