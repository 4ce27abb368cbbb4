import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { ClientGone } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { readJson } from '../http/read.ts'
import type { Replayer } from '../replay/replayer.ts'

const named = z.object({ model: z.string() })

/** POST to any path below /v1 while a fixture is replayed. @throws ServiceError 400 for a body that is not JSON, 404 `replay_no_match` */
export async function replayed(call: Call, replay: Replayer, path: string): Promise<void> {
  const { record, reply } = call
  const body = await readJson(call.request, record, z.unknown())
  record.model = named.safeParse(body).data?.model ?? null
  const {
    reply: { status, headers, pieces },
    how,
  } = replay.take(path, body)
  record.stream = headers['content-type']?.startsWith('text/event-stream') ?? false
  reply.addHeaders({ 'X-Sandbox-Replay': how })
  const text = pieces.map(([, part]) => part).join('')
  if (replay.timing === 'immediate') return await reply.bytes(status, text, headers)
  const start = performance.now()
  const wait = async (ms: number): Promise<void> => {
    const left = start + ms - performance.now()
    if (left < 1) return
    await sleep(left, undefined, { signal: reply.closed }).catch(() => {
      throw new ClientGone()
    })
  }
  await wait(pieces[0]?.[0] ?? 0)
  const sent = reply.open(status, headers, record.stream ? null : Buffer.byteLength(text))
  for (const [ms, part] of pieces) {
    await wait(ms)
    await sent.write(part)
  }
  await sent.end()
}
