import type { AlertsFeature } from '../features/alerts/alerts.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import type { Implementer } from './implementer.ts'

/** Procedures about alerts. */
export const alertsHandlers = (os: Implementer['alerts'], host: Host, alerts: AlertsFeature) => ({
  watch: os.watch.handler(({ signal }) => guarded(host, alerts.watch(signal))),
  update: os.update.handler(({ input }) => alerts.update(input)),
  dismiss: os.dismiss.handler(({ input }) => alerts.dismiss(input)),
  testNotification: os.testNotification.handler(() => alerts.testNotification()),
})
