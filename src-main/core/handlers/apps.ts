import type { AppUse } from '../../../src-preload/contract/apps.ts'
import type { AppQuestion } from '../../../src-preload/contract/questions.ts'
import type { Apps } from '../gateway/apps/apps.ts'
import type { Questions } from '../gateway/apps/questions.ts'
import type { Host } from '../host.ts'
import type { SqliteRequestLog } from '../requestLog/requestLog.ts'
import type { StateFeed } from '../shared/stateFeed.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

interface AppsDependencies {
  apps: Apps
  appUse: StateFeed<AppUse[]>
  questions: Questions
  questionFeed: StateFeed<AppQuestion[]>
  requestLog: SqliteRequestLog
}

/** Procedures about the programs that use the local API, and their app keys. */
export const appsHandlers = (
  os: Implementer['apps'],
  host: Host,
  { apps, appUse, questions, questionFeed, requestLog }: AppsDependencies,
) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, apps.watch(signal))),
  watchUsage: os.watchUsage.handler(({ signal }) => guarded(host, appUse.watch(signal))),
  add: os.add.handler(({ input }) => apps.add(input)),
  update: os.update.handler(({ input }) => apps.update(input.id, input.changes)),
  pause: os.pause.handler(({ input }) => apps.pause(input.id, input.paused)),
  pauseAll: os.pauseAll.handler(({ input }) => apps.pauseAll(input.paused)),
  resetSpend: os.resetSpend.handler(({ input }) => {
    const app = apps.get(input.id)
    requestLog.resetSpend(app.id)
    return app
  }),
  rotate: os.rotate.handler(({ input }) => apps.rotate(input.id, input.graceHours)),
  revoke: os.revoke.handler(({ input }) => apps.revoke(input.id)),
  watchQuestions: os.watchQuestions.handler(({ signal }) => guarded(host, questionFeed.watch(signal))),
  answer: os.answer.handler(({ input }) => questions.answer(input)),
})
