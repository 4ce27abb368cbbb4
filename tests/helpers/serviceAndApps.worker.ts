import { isMainThread, parentPort } from 'node:worker_threads'
import { startSandbox } from '../../src-main/sandbox/sandbox.ts'
import { ask } from './appRequest.ts'
import type { FromOtherThread, ToOtherThread } from './serviceAndApps.ts'

// Runs on the thread of `startServiceAndApps`: a sandbox, and the apps that send requests.

if (!isMainThread && parentPort) {
  const port = parentPort
  const send = (message: FromOtherThread): void => port.postMessage(message)
  const sandbox = await startSandbox({ limits: { rpm: 1_000_000 } })
  const answer = async ({ id, url, headers, body }: ToOtherThread): Promise<void> => {
    try {
      const { status } = await ask(url, { method: 'POST', headers, body: Buffer.from(body) })
      send({ id, status })
    } catch (thrown) {
      send({ id, error: String(thrown) })
    }
  }
  port.on('message', (message: ToOtherThread) => void answer(message))
  send({ baseUrl: sandbox.baseUrl, key: sandbox.keys.main })
}
