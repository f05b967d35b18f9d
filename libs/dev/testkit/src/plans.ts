/**
 * Matches a plan, as the text of EXPLAIN, that reads a table or an index as a whole. Sessions start with `enable_seqscan=off`:
 * then Postgres does that through an index, without a condition for it.
 */
export const READS_ALL =
  /Seq Scan on|(?:Index (?:Only )?Scan (?:Backward )?using|Bitmap Index Scan on) .*$(?!\n *Index Cond)/m;
