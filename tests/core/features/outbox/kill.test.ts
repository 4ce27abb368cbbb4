// @long Kills a process again and again.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { tries } from '../../../helpers/effort.ts'
import { randomNumbers } from '../../../helpers/random.ts'
import { freshFolder } from '../../helpers/core.ts'
import { openQueue } from './queue.ts'

const script = fileURLToPath(new URL('sendWaiting.ts', import.meta.url))
/** Number of kills; can be raised by hand. */
const kills = tries(3, 20)

/** Counts the prompts that reach it, whatever happens to their requests. */
async function countingService() {
  const heard = new Map<string, number>()
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const { prompt } = JSON.parse(body) as { prompt: string }
    heard.set(prompt, (heard.get(prompt) ?? 0) + 1)
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ created: 1, data: [{ b64_json: pixel }] }))
  }
  // The request of a killed sender breaks off.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

test(`after ${kills} kills at random moments, each waiting request was sent once or still waits`, async () => {
  const { url, heard } = await countingService()
  const dataDir = freshFolder()
  const stored: string[] = []
  const random = randomNumbers()
  for (let kill = 0; kill < kills; kill += 1) {
    const child = spawn(process.execPath, [script, dataDir, url], { stdio: ['ignore', 'pipe', 'inherit'] })
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
    })
    await once(child.stdout, 'data')
    await new Promise((resolve) => setTimeout(resolve, random() * 300))
    child.kill('SIGKILL')
    await once(child, 'close')
    // The process prints a complete line only after it has stored the request.
    stored.push(...output.split('\n').slice(0, -1))
  }

  const sentBefore = [...heard.values()]
  const queue = openQueue(dataDir, url)
  const drawn = new Set(queue.images.find({ search: '', favourites: false }).images.map(({ prompt }) => prompt))
  const drawings = queue.store.images.newest(100_000).map(({ prompt }) => prompt)
  const left = queue.outbox.read().items.map(({ label }) => label)
  // Each request is in exactly one place.
  expect([...drawings, ...left].length).toBe(new Set([...drawings, ...left]).size)
  for (const prompt of stored) expect([...drawings, ...left]).toContain(prompt)
  for (const prompt of left) expect(heard.has(prompt)).toBe(false)
  expect(drawn.size).toBeLessThanOrEqual(drawings.length)
  expect(Math.max(1, ...sentBefore)).toBe(1)

  queue.setConnection('connected')
  // The last request leaves the queue before it is sent.
  for await (const { items, ended } of queue.outbox.watch())
    if (items.length === 0 && (ended || left.length === 0)) break
  await queue.close()
  expect(stored.length).toBeGreaterThan(kills)
  for (const prompt of left) expect(heard.get(prompt)).toBe(1)
  expect(Math.max(...heard.values())).toBe(1)
})
