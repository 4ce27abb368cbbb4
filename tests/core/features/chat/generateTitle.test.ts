import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { openChat } from '../../../../src-main/core/features/chat/chat.ts'
import { duplicate } from '../../../../src-main/core/features/chat/duplicate.ts'
import { send } from '../../../../src-main/core/features/chat/send.ts'
import { update } from '../../../../src-main/core/features/chat/updateConversation.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { plainNeighbours, Service, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const closers = closeAfterEach()

const words = 'How do suspension bridges carry their load?'
const derived = words

/** The chat feature over a real store, with a model that writes titles. The test sends the replies. */
function chats(model: string | null = 'titler', folder = freshFolder()) {
  const store = openStore(folder)
  closers.push(() => store.close())
  const service = new Service()
  const lines: string[] = []
  const feature = openChat({
    store,
    upstream: async () => service,
    log: (line: string) => lines.push(line),
    neighbours: plainNeighbours,
    titleModel: () => model,
  })
  const ask = async (text = words, conversationId: string | null = null) => {
    const sent = await send(feature, { requestId: randomUUID(), conversationId, text, models: ['writer'] })
    await settled()
    return { ...sent, reply: service.last }
  }
  const say = async (asked: typeof service.last, text: string) => {
    asked.say({ type: 'content', choice: 0, text })
    asked.say('end')
    await settled()
  }
  const titleOf = (id: string) => store.conversations.get(id).title
  const titleRequests = () => service.asked.filter(({ options }) => options.feature === 'titles')
  return { feature, service, lines, ask, say, titleOf, titleRequests }
}

describe('titles written by a model', () => {
  it('are off by default', async () => {
    const { ask, say, titleOf, service } = chats(null)
    const { conversationId, reply } = await ask()
    await say(reply, 'With cables.')
    expect(service.asked).toHaveLength(1)
    expect(titleOf(conversationId)).toBe(derived)
  })

  it('replace the first words once the first reply is there, by one request of their own', async () => {
    const { ask, say, titleOf, titleRequests } = chats()
    const { conversationId, reply } = await ask()
    expect(titleRequests()).toHaveLength(0)
    await say(reply, 'With cables.')
    expect(titleOf(conversationId)).toBe(derived)
    const [asked] = titleRequests()
    expect(asked?.request).toMatchObject({ model: 'titler' })
    expect(JSON.stringify(asked?.request.messages)).toContain('With cables.')
    if (asked) await say(asked, '"**Suspension bridges**"\n')
    expect(titleOf(conversationId)).toBe('Suspension bridges')
    const next = await ask('And arches?', conversationId)
    await say(next.reply, 'By thrust.')
    expect(titleRequests()).toHaveLength(1)
  })

  it('never replace a title that a person wrote, even if it equals the first words and the program was restarted', async () => {
    const folder = freshFolder()
    const before = chats(null, folder)
    const { conversationId, reply } = await before.ask()
    await before.say(reply, 'With cables.')
    update(before.feature, { conversationId, title: derived })
    const copy = duplicate(before.feature, { conversationId })
    closers.pop()?.()

    const { ask, say, titleOf, titleRequests } = chats('titler', folder)
    for (const id of [conversationId, copy.conversationId]) {
      const next = await ask('And arches?', id)
      await say(next.reply, 'By thrust.')
      expect(titleOf(id)).toBe(derived)
    }
    expect(titleRequests()).toHaveLength(0)
  })

  it('leave the first words when they fail, with a line in the log', async () => {
    const { feature, ask, say, titleOf, titleRequests, lines } = chats()
    const { conversationId, reply } = await ask()
    await say(reply, 'With cables.')
    titleRequests()[0]?.say(new StudioError('rate_limited', 'Too many requests.'))
    await settled()
    expect(titleOf(conversationId)).toBe(derived)
    expect(lines).toEqual([expect.stringContaining('titler: Too many requests.')])
    expect(feature.runs.size).toBe(0)
  })

  it('a reply without words is a failure', async () => {
    const { ask, say, titleOf, titleRequests, lines } = chats()
    const { conversationId, reply } = await ask()
    await say(reply, 'With cables.')
    titleRequests()[0]?.say('end')
    await settled()
    expect(titleOf(conversationId)).toBe(derived)
    expect(lines).toHaveLength(1)
  })

  it('never replace the title of a person, whenever it is given', async () => {
    const { feature, ask, say, titleOf, titleRequests } = chats()
    const early = await ask()
    update(feature, { conversationId: early.conversationId, title: derived })
    await say(early.reply, 'With cables.')
    expect(titleRequests()).toHaveLength(0)
    const late = await ask()
    await say(late.reply, 'With cables.')
    update(feature, { conversationId: late.conversationId, title: 'Mine' })
    await settled()
    expect(titleRequests()[0]?.aborted).toBe(true)
    expect(titleOf(early.conversationId)).toBe(derived)
    expect(titleOf(late.conversationId)).toBe('Mine')
  })

  it('give way to a message, which may need the only slot, and are tried again after its reply', async () => {
    const { ask, say, titleOf, titleRequests, lines } = chats()
    const { conversationId, reply } = await ask()
    await say(reply, 'With cables.')
    const next = await ask('And arches?', conversationId)
    expect(titleRequests()[0]?.aborted).toBe(true)
    await say(next.reply, 'By thrust.')
    const again = titleRequests()[1]
    if (again) await say(again, 'Bridges')
    expect(titleOf(conversationId)).toBe('Bridges')
    expect(lines).toEqual([])
  })

  it('stop when the program closes', async () => {
    const { feature, ask, say, titleOf, titleRequests } = chats()
    const { conversationId, reply } = await ask()
    await say(reply, 'With cables.')
    await feature.titles.close()
    expect(titleRequests()[0]?.aborted).toBe(true)
    expect(titleOf(conversationId)).toBe(derived)
  })
})
