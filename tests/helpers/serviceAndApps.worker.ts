import { isMainThread, parentPort } from 'node:worker_threads'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { ask } from './appRequest.ts'
import type { FromOtherThread, ToOtherThread } from './serviceAndApps.ts'

// Runs on the thread of `startServiceAndApps`: a sandbox, and the apps that send requests.

if (!isMainThread && parentPort) {
  const port = parentPort
  const tell = (message: FromOtherThread): void => port.postMessage(message)
  const sandbox = await startSandbox({ limits: { rpm: 1_000_000 } })
  const answer = async ({ id, url, headers, body }: ToOtherThread): Promise<void> => {
    try {
      const { status } = await ask(url, { method: 'POST', headers, body: Buffer.from(body) })
      tell({ id, status })
    } catch (thrown) {
      tell({ id, error: String(thrown) })
    }
  }
  port.on('message', (message: ToOtherThread) => void answer(message))
  tell({ baseUrl: sandbox.baseUrl, key: sandbox.keys.main })
}
