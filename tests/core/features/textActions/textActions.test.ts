import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { runTextAction } from '../../../../src-main/core/features/textActions/textActions.ts'
import type { TextActionEvent } from '../../../../src-preload/contract/textActions.ts'
import { Service, settled } from '../../helpers/chatFeature.ts'

const input = { model: 'writer', text: 'Translate: Hallo' }

function started(signal?: AbortSignal) {
  const service = new Service()
  const priced: number[] = []
  const events = runTextAction(
    {
      upstream: async () => service,
      logBodies: () => true,
      costOf: (row) => {
        priced.push(row)
        return { cost: '0.5', costIs: 'measured' }
      },
    },
    input,
    signal,
  )
  return { service, priced, events }
}

describe('a text action', () => {
  it('sends nothing before it is read, then one request of its own feature, and streams the reply with its cost', async () => {
    const { service, priced, events } = started()
    await settled()
    expect(service.asked).toHaveLength(0)
    const first = events.next()
    await settled()
    expect(service.asked).toHaveLength(1)
    const { request, options } = service.last
    expect(request).toEqual({ model: 'writer', messages: [{ role: 'user', content: 'Translate: Hallo' }] })
    expect(options).toMatchObject({ feature: 'actions', logBodies: true })
    service.last.say({ type: 'reasoning', choice: 0, text: 'A greeting.' })
    service.last.say({ type: 'content', choice: 0, text: 'Hel' })
    expect((await first).value).toEqual({ type: 'text', text: 'Hel' })
    service.last.say({ type: 'content', choice: 0, text: 'lo' })
    // A second choice that nobody asked for is not mixed into the first.
    service.last.say({ type: 'content', choice: 1, text: 'Hi' })
    service.last.say({ type: 'finish', choice: 0, reason: 'length' })
    service.last.say('end')
    const rest: TextActionEvent[] = []
    for await (const event of events) rest.push(event)
    expect(rest).toEqual([
      { type: 'text', text: 'lo' },
      { type: 'end', isCut: true, cost: '0.5', costIs: 'measured' },
    ])
    expect(priced).toEqual([service.last.row])
  })

  it('ends its request when the person stops it, and when the window stops reading', async () => {
    const stop = new AbortController()
    const stopped = started(stop.signal)
    const next = stopped.events.next()
    await settled()
    stop.abort()
    await expect(next).rejects.toMatchObject({ kind: 'cancelled' })
    expect(stopped.service.last.aborted).toBe(true)

    const left = started()
    const first = left.events.next()
    await settled()
    left.service.last.say({ type: 'content', choice: 0, text: 'Hello' })
    await first
    await left.events.return?.()
    expect(left.service.last.over).toBe(true)
    expect(left.service.open).toHaveLength(0)
  })

  it('reports an empty reply and errors of the service', async () => {
    const empty = started()
    const nothing = empty.events.next()
    await settled()
    empty.service.last.say('end')
    await expect(nothing).rejects.toMatchObject({ kind: 'malformed_reply' })

    const refused = started()
    const failing = refused.events.next()
    await settled()
    refused.service.last.say(new StudioError('insufficient_credits', 'No credits.'))
    await expect(failing).rejects.toMatchObject({ kind: 'insufficient_credits' })
    expect(refused.service.asked).toHaveLength(1)
  })
})
