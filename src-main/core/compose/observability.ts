import type { Session } from '../features/connections/session.ts'
import type { RequestScheduler } from '../gateway/scheduler/requestScheduler.ts'
import type { Host } from '../host.ts'
import { Metrics } from '../observability/metrics.ts'
import { openTelemetry, serverOf } from '../observability/openTelemetry.ts'
import type { OpenData } from './data.ts'

export interface ObservabilityDependencies extends Pick<OpenData, 'settings' | 'requestLog'> {
  host: Host
  scheduler: RequestScheduler
  session: Session
}

/** Metrics and spans of the requests in the log. Neither costs anything while it is switched off. */
export interface ComposedObservability {
  metrics: Metrics
  /** Starts or stops counting. Call after each change of the settings. */
  settingsChanged(): void
  /** Sends the remaining spans. Call after the request log is closed, because closing it reports the last requests. */
  close(): Promise<void>
}

export function composeObservability(dependencies: ObservabilityDependencies): ComposedObservability {
  const { host, settings, requestLog, scheduler, session } = dependencies
  const metrics = new Metrics({ enabled: () => settings.value.metrics, live: () => scheduler.counts() })
  const spans = openTelemetry(process.env, {
    version: host.version,
    server: () => (session.current ? serverOf(session.current.base.url) : null),
    log: host.log,
  })
  requestLog.blocked.add((_appId, code) => metrics.refused(code))
  if (spans) requestLog.ended.add((row) => spans.ended(row))
  // Registered only while needed: the log builds rows only while it has a listener.
  let stopCounting: (() => void) | null = null
  const settingsChanged = (): void => {
    if (settings.value.metrics) stopCounting ??= requestLog.ended.add((row) => metrics.ended(row))
    else {
      stopCounting?.()
      stopCounting = null
    }
  }
  settingsChanged()
  return { metrics, settingsChanged, close: async () => spans?.close() }
}
