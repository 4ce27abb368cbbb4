import { type AskAgainFeature, askAgain } from '../features/again/askAgain.ts'
import type { Replays } from '../features/again/replays.ts'
import type { Transfers } from '../features/transfers/transfers.ts'
import type { Host } from '../host.ts'
import { saveFixture } from '../requestLog/fixture.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import { saveRows } from '../requestLog/saveRows.ts'
import { secretRules, testSecrets } from '../requestLog/secrets.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

interface RequestsDependencies {
  requestLog: SqliteRequestLog
  transfers: Transfers
  again: AskAgainFeature
  replays: Replays
}

/** Procedures about the request log. */
export const requestsHandlers = (
  os: Implementer['requests'],
  host: Host,
  { requestLog, transfers, again, replays }: RequestsDependencies,
) => ({
  watch: os.watch.handler(({ input, signal }) => guarded(host, requestLog.watch(input.filter, input.newest, signal))),
  page: os.page.handler(async ({ input }) => ({
    rows: await requestLog.page(input.filter, input.before, input.limit),
  })),
  counts: os.counts.handler(({ input }) => requestLog.counts(input.filter)),
  get: os.get.handler(({ input }) => requestLog.get(input.id)),
  export: os.export.handler(({ input, signal }) => saveRows(requestLog, input.filter, transfers, signal)),
  stop: os.stop.handler(({ input }) => ({ stopped: requestLog.stop(input.id) })),
  askAgain: os.askAgain.handler(({ input, signal }) => guarded(host, askAgain(again, input, signal))),
  saveFixture: os.saveFixture.handler(({ input }) => saveFixture(requestLog, input, transfers)),
  startReplay: os.startReplay.handler(({ input }) => replays.start(input)),
  stopReplay: os.stopReplay.handler(async () => {
    await replays.stop()
    return {}
  }),
  replay: os.replay.handler(() => replays.current),
  secretRules: os.secretRules.handler(() => [...secretRules]),
  testSecrets: os.testSecrets.handler(({ input }) => testSecrets(requestLog.secrets, input.text)),
  deleteBodies: os.deleteBodies.handler(async ({ input }) => ({ erased: await requestLog.deleteBodies(input) })),
})
