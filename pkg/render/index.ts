/**
 * Everything a person or a script reads: pure functions from answers to text.
 *
 * Words: a *style* says what the output can show (colour, Unicode, a box, a width); a *tone* is a meaning that a
 * colour may underline but never carries alone.
 */
export { renderCodeList, renderCodePage } from './code-page.ts';
export { renderDot } from './dot.ts';
export { drainNames, renderDrainReport } from './drain-text.ts';
export { humanDuration } from './duration.ts';
export { graphDocument, type DependencyGraph } from './graph-document.ts';
export { renderMermaid } from './mermaid.ts';
export { objectLabel } from './object-label.ts';
export { printable } from './printable.ts';
export { renderReport, reportNames, type ReportOptions } from './report-text.ts';
export { plainStyle, type Style, type Tone } from './style.ts';
export { table } from './table.ts';
export { renderTree, treeNames, type TreeRequest } from './tree-text.ts';
export { objectStatus } from './object-status.ts';
