import { RateLimitPoller } from '../../../../src-main/core/features/limits/rateLimitStatus.ts'
import type { RequestScheduler } from '../../../../src-main/core/gateway/scheduler/requestScheduler.ts'
import { SchedulerWatcher } from '../../../../src-main/core/gateway/scheduler/schedulerWatcher.ts'
import type { UpstreamOptions } from '../../../../src-main/core/upstream/client.ts'
import type { KeyName, Sandbox } from '../../../../src-main/sandbox/sandbox.ts'
import { openClient } from '../../../helpers/openClient.ts'

/** The real client of a sandbox behind a scheduler, with the poller of its rate limit and the watcher that sets up the scheduler. */
export function scheduledClient(
  sandbox: Sandbox,
  key: KeyName,
  { scheduler, requestLog }: { scheduler: RequestScheduler; requestLog: NonNullable<UpstreamOptions['requestLog']> },
) {
  const upstream = openClient(sandbox.baseUrl, sandbox.keys[key], {
    retry: { maxAttempts: 1 },
    scheduler,
    requestLog,
  })
  const gauge = new RateLimitPoller()
  const follower = new SchedulerWatcher(scheduler, gauge)
  const close = async (): Promise<void> => {
    follower.close()
    gauge.close()
    scheduler.close()
    await upstream.close()
  }
  return { upstream, gauge, follower, close }
}
