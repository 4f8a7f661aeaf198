import type { Clock } from '#pkg/clock';
import type { Watcher, WatchEvent, WatchRequest } from '#pkg/kube';

/** A watcher whose changes arrive late, one after another: to see what happens when a cache is behind. */
export function delayedWatcher(watcher: Watcher, clock: Clock, delayMs: () => number): Watcher {
  return {
    pages: (selection, limit, signal) => watcher.pages(selection, limit, signal),
    async *watch(request: WatchRequest, signal: AbortSignal): AsyncIterable<WatchEvent> {
      let isListing = request.sendInitialEvents === true;
      for await (const event of watcher.watch(request, signal)) {
        const isChange = event.kind !== 'opened' && event.kind !== 'error';
        if (isChange && !isListing) await clock.sleep(delayMs(), signal);
        if (event.kind === 'bookmark' && event.isEndOfInitial) isListing = false;
        yield event;
      }
    },
  };
}
