/**
 * Log lines as a parameter. A message is constant; what varies is in fields with fixed names: `object`, `rule`,
 * `verdict`, `reconcileId`, `requestId`, `durationMs`, `err`. References are logged, never whole objects.
 */
export { jsonLogger, silentLogger, type Fields, type Logger } from './logger.ts';
