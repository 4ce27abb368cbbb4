import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { StudioError } from '../../../../src-main/core/errors.ts'
import { choose } from '../../../../src-main/core/features/chat/chooseReply.ts'
import { continueInstruction, continueReply } from '../../../../src-main/core/features/chat/continueReply.ts'
import { ConversationWatcher } from '../../../../src-main/core/features/chat/conversationWatcher.ts'
import { duplicate } from '../../../../src-main/core/features/chat/duplicate.ts'
import { recoverReplies } from '../../../../src-main/core/features/chat/recover.ts'
import { remove } from '../../../../src-main/core/features/chat/remove.ts'
import { restore } from '../../../../src-main/core/features/chat/restore.ts'
import { retry } from '../../../../src-main/core/features/chat/retry.ts'
import { type SendInput, send } from '../../../../src-main/core/features/chat/send.ts'
import { stop } from '../../../../src-main/core/features/chat/stop.ts'
import { openToolCallsPort } from '../../../../src-main/core/features/chat/toolCallsPort.ts'
import { saveDraft, saveSetup, update } from '../../../../src-main/core/features/chat/updateConversation.ts'
import { SchemaCheckClient } from '../../../../src-main/core/features/tools/schemaCheck/workerClient.ts'
import type { ChatNeighbours } from '../../../../src-main/core/ports/toolCalls.ts'
import { openStore } from '../../../../src-main/core/store/store.ts'
import type { ChatStreamEvent } from '../../../../src-main/core/upstream/types.ts'
import { forkNode } from '../../../../src-main/hosts/node/forkNode.ts'
import { type ChatParams, emptySetup } from '../../../../src-preload/contract/chat.ts'
import { closeAfterEach } from '../../../helpers/closers.ts'
import { featureOver, Page, settled } from '../../helpers/chatFeature.ts'
import { freshFolder } from '../../helpers/core.ts'

const closers = closeAfterEach()
const checker = new SchemaCheckClient({ checkMs: 2000, fork: forkNode })
afterAll(() => checker.close())
const jsonFaults: ChatNeighbours['jsonFaults'] = (reply, format) => checker.reply(reply, format)

function studio(neighbours: Partial<ChatNeighbours> = {}, folder = freshFolder()) {
  const store = openStore(folder)
  closers.push(() => store.close())
  const { feature, service, lines } = featureOver(store, neighbours)
  const ask = async (input: Partial<SendInput> = {}) => {
    const whole = { requestId: randomUUID(), conversationId: null, text: 'Question', models: ['m'], ...input }
    const sent = await send(feature, whole)
    await settled()
    return { ...sent, replyId: sent.replyIds[0] ?? '' }
  }
  const answer = async (...events: (ChatStreamEvent | 'end' | StudioError)[]) => {
    for (const event of events) service.last.say(event)
    await settled()
  }
  return { store, feature, service, lines, ask, answer, toolCalls: openToolCallsPort(feature) }
}

const content = (text: string, choice = 0): ChatStreamEvent => ({ type: 'content', choice, text })
const finish = (choice = 0): ChatStreamEvent => ({ type: 'finish', choice, reason: 'stop' })
const call = (index = 0, args = '{}'): ChatStreamEvent => ({
  type: 'tool_call',
  choice: 0,
  index,
  id: `call-${index}`,
  name: 'clock',
  arguments: args,
})
const withParams = (params: ChatParams) => ({ setup: { ...emptySetup, params } })

it('a tool call whose name arrives in pieces has the whole name, and calls with their own index are apart', async () => {
  const { store, ask, answer } = studio()
  const { replyId } = await ask()
  const piece = { type: 'tool_call', choice: 0, index: 0, id: null } as const
  await answer(
    { ...piece, id: 'a', name: 'list_file', arguments: '{"x"' },
    { ...piece, id: 'b', index: 1, name: 'clock', arguments: '{}' },
    { ...piece, name: null, arguments: ':1}' },
    { ...piece, name: 's', arguments: '' },
    finish(),
    { type: 'done' },
    'end',
  )
  expect(store.messages.get(replyId).toolCalls).toEqual([
    { index: 0, id: 'a', name: 'list_files', arguments: '{"x":1}' },
    { index: 1, id: 'b', name: 'clock', arguments: '{}' },
  ])
})

describe('the request of a reply', () => {
  it('begins with the instructions, has names and image parts, and only the parameters that were set [CHAT-03] [CHAT-08] [CHAT-10]', async () => {
    const { store, feature, service, ask, answer } = studio({
      toolsFor: () => ({ tools: [{ type: 'function' }], tool_choice: 'required' }),
    })
    const mediaId = randomUUID()
    const picture = { id: mediaId, kind: 'image', mime: 'image/png', bytes: 9, width: 3, height: 3 } as const
    store.media.insert({ ...picture, name: 'a.png', sha256: 'x', createdAt: new Date().toISOString() })
    const params: ChatParams = {
      temperature: 0,
      topP: 0.5,
      maxTokens: 9,
      stop: ['END'],
      presencePenalty: 1,
      frequencyPenalty: -1,
      responseFormat: { type: 'json_schema', name: 'n', strict: true, schema: '{"type":"object"}' },
      extra: { seed: 7, stream: false, model: 'other', tools: [], temperature: 2, messages: [] },
    }
    const instructions = { instructions: 'Be brief.', instructionsRole: 'developer' } as const
    const { conversationId } = await ask({
      text: 'What is it?',
      name: 'Ada',
      attachments: [{ mediaId, detail: 'low' }],
      setup: { ...emptySetup, ...instructions, params },
    })
    expect(service.last.request).toEqual({
      model: 'm',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          name: 'Ada',
          content: [
            { type: 'text', text: 'What is it?' },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${mediaId}`, detail: 'low' } },
          ],
        },
      ],
      temperature: 0,
      top_p: 0.5,
      max_tokens: 9,
      stop: ['END'],
      presence_penalty: 1,
      frequency_penalty: -1,
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', strict: true, schema: { type: 'object' } },
      },
      seed: 7,
      tools: [{ type: 'function' }],
      tool_choice: 'required',
      stream_options: { include_usage: true },
    })
    await answer(content('{}'), finish(), 'end')
    saveSetup(feature, { conversationId, setup: emptySetup })
    await ask({ conversationId })
    expect(Object.keys(service.last.request)).toEqual(['model', 'messages', 'tools', 'tool_choice', 'stream_options'])
  })

  it('is not sent if an image is missing; the reply fails with the reason', async () => {
    const { store, service, ask } = studio({
      imageUrl: () => Promise.reject(new StudioError('no_such_item', 'That picture is gone.')),
    })
    const mediaId = randomUUID()
    const picture = { id: mediaId, kind: 'image', mime: 'image/png', bytes: 9, width: 3, height: 3 } as const
    store.media.insert({ ...picture, name: null, sha256: 'x', createdAt: new Date().toISOString() })
    const { replyId } = await ask({ attachments: [{ mediaId, detail: null }] })
    expect(service.asked).toEqual([])
    expect(store.messages.get(replyId)).toMatchObject({ status: 'failed', problem: { kind: 'no_such_item' } })
  })
})

describe('several replies', () => {
  it('are choices of one request that end independently; stopping one stops all [CHAT-09]', async () => {
    const { store, feature, service, ask, answer } = studio({ costOf: () => ({ cost: '0.5', costIs: 'estimated' }) })
    const { replyIds } = await ask(withParams({ n: 3 }))
    const replies = () => replyIds.map((id) => store.messages.get(id))
    expect(service.asked).toHaveLength(1)
    expect(service.last.request.n).toBe(3)
    await answer(content('a', 0), content('b', 1), content('c', 2), finish(1))
    expect(replies().map(({ status }) => status)).toEqual(['streaming', 'complete', 'streaming'])
    expect(stop(feature, { replyId: replyIds[2] ?? '' })).toEqual({ stopped: true })
    expect(service.last.aborted).toBe(true)
    await settled()
    expect(replies().map(({ status, text }) => [status, text])).toEqual([
      ['stopped', 'a'],
      ['complete', 'b'],
      ['stopped', 'c'],
    ])
    expect(new Set(replies().map(({ askId }) => askId)).size).toBe(1)
    expect(replies().map(({ cost, requestRow }) => [cost, requestRow])).toEqual(Array(3).fill(['0.5', 1]))
  })

  it('stay complete after a cut if they were finished; choices without output fail', async () => {
    const { store, ask, answer } = studio()
    const cut = await ask(withParams({ n: 2 }))
    await answer(content('a', 0), finish(0), content('b', 1), new StudioError('connection_lost', 'Lost.'))
    expect(cut.replyIds.map((id) => store.messages.get(id).status)).toEqual(['complete', 'incomplete'])
    const fewer = await ask(withParams({ n: 2 }))
    await answer(content('a', 0), finish(0), 'end')
    expect(fewer.replyIds.map((id) => store.messages.get(id).status)).toEqual(['complete', 'failed'])
  })

  it('of compared models are separate requests; stopping one does not stop the others, and the path can continue when its own reply has ended', async () => {
    const { store, feature, service, ask } = studio()
    const { conversationId, replyIds } = await ask({ models: ['a', 'b', 'c'] })
    expect(service.asked.map(({ request }) => [request.model, request.n])).toEqual([
      ['a', undefined],
      ['b', undefined],
      ['c', undefined],
    ])
    stop(feature, { replyId: replyIds[1] ?? '' })
    expect(service.asked.map(({ aborted }) => aborted)).toEqual([false, true, false])
    await expect(ask({ conversationId })).rejects.toMatchObject({ kind: 'busy' })
    service.asked[0]?.say(content('one'))
    service.asked[0]?.say('end')
    await settled()
    const page = new Page()
    const watcher = new ConversationWatcher(feature.runs.view, conversationId)
    page.apply(watcher.take() as never)
    expect(page.beside.map(({ model, status }) => [model, status])).toEqual([
      ['a', 'complete'],
      ['b', 'stopped'],
      ['c', 'pending'],
    ])
    choose(feature, { messageId: replyIds[2] ?? '' })
    expect(store.conversations.get(conversationId).model).toBe('c')
    choose(feature, { messageId: replyIds[0] ?? '' })
    await ask({ conversationId, text: 'On' })
    expect(service.last.request.messages.map((message) => message.content)).toEqual(['Question', 'one', 'On'])
    expect(service.open.map(({ request }) => request.model)).toEqual(['c', 'm'])
    expect(feature.runs.view.beside(store.conversations.get(conversationId).leafId ?? '')).toEqual([])
  })
})

describe('the stored draft', () => {
  it('is emptied with the message that contains it', async () => {
    const { store, feature, ask, answer } = studio()
    const { conversationId } = await ask()
    await answer('end')
    saveDraft(feature, { conversationId, draft: 'And then?' })
    await ask({ conversationId, text: 'And then?' })
    expect(store.conversations.get(conversationId).draft).toBe('')
  })

  it('stays when an edited message is sent, or a message of another program', async () => {
    const { store, feature, ask, answer } = studio()
    const { conversationId, turnId } = await ask()
    await answer('end')
    saveDraft(feature, { conversationId, draft: 'Half a sentence' })
    await ask({ conversationId, edits: turnId, text: 'Otherwise' })
    await answer('end')
    await ask({ conversationId, text: 'From the command line' })
    expect(store.conversations.get(conversationId).draft).toBe('Half a sentence')
  })
})

describe('branches', () => {
  it('an edit is a sibling; choosing the old message leads back to where it was left, and running replies continue', async () => {
    const { store, feature, service, ask, answer } = studio()
    const first = await ask()
    await answer(content('one'), 'end')
    const second = await ask({ conversationId: first.conversationId, text: 'On' })
    await answer(content('two'), 'end')
    const edited = await ask({ conversationId: first.conversationId, edits: first.turnId, text: 'Otherwise' })
    expect(store.messages.get(edited.turnId)).toMatchObject({ parentId: null, sibling: 2, siblings: 2 })
    expect(service.last.request.messages).toEqual([{ role: 'user', content: 'Otherwise' }])
    choose(feature, { messageId: first.turnId })
    expect(store.conversations.get(first.conversationId)).toMatchObject({ leafId: second.replyId, messages: 4 })
    await answer(content('three'), 'end')
    expect(store.messages.get(edited.replyId)).toMatchObject({ status: 'complete', text: 'three' })
    const other = await ask()
    await answer(content('four'), 'end')
    const elsewhere = ask({ conversationId: other.conversationId, edits: first.turnId })
    await expect(elsewhere).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('continuing a reply sends one instruction, however often it is requested', async () => {
    const { store, feature, service, ask, answer } = studio()
    const { replyId } = await ask()
    await answer(content('Half'), new StudioError('connection_lost', 'Lost.'))
    const requestId = randomUUID()
    const both = await Promise.all([
      continueReply(feature, { requestId, replyId }),
      continueReply(feature, { requestId, replyId }),
    ])
    expect(both[0]).toEqual(both[1])
    await settled()
    expect(service.asked).toHaveLength(2)
    expect(store.messages.get(requestId)).toMatchObject({ made: 'continue', parentId: replyId })
    expect(service.last.request.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'Half' },
      { role: 'user', content: continueInstruction },
    ])
    const failed = await ask()
    await answer(new StudioError('connection_lost', 'Lost.'))
    const again = continueReply(feature, { requestId: randomUUID(), replyId: failed.replyId })
    await expect(again).rejects.toMatchObject({ kind: 'bad_input' })
  })

  it('a retry may use other models, and a message may be added without a request', async () => {
    const { store, feature, service, ask, answer } = studio()
    const { conversationId, replyId } = await ask()
    await answer(content('one'), 'end')
    const { replyIds } = await retry(feature, { requestId: randomUUID(), replyId, models: ['x', 'y'] })
    expect(replyIds.map((id) => store.messages.get(id).siblings)).toEqual([3, 3])
    for (const id of replyIds) stop(feature, { replyId: id })
    await settled()
    const added = await send(feature, {
      requestId: randomUUID(),
      conversationId,
      text: 'Said.',
      models: ['m'],
      role: 'assistant',
      ask: false,
    })
    expect(added.replyIds).toEqual([])
    expect(service.asked).toHaveLength(3)
    expect(store.conversations.get(conversationId).leafId).toBe(added.turnId)
  })

  it('a copy has new ids, and running replies with their current text', async () => {
    const { store, feature, ask, answer } = studio()
    const { conversationId, turnId } = await ask(withParams({ n: 2 }))
    await answer(content('so far'))
    const copy = duplicate(feature, { conversationId }).conversationId
    const whole = store.messages.path(store.conversations.get(copy).leafId)
    expect(whole.map(({ status, text, siblings }) => [status, text, siblings])).toEqual([
      ['complete', 'Question', 1],
      ['incomplete', 'so far', 2],
    ])
    expect(store.conversations.setup(copy).params.n).toBe(2)
    const upTo = duplicate(feature, { conversationId, upTo: turnId }).conversationId
    expect(store.messages.links(upTo)).toHaveLength(1)
    expect(store.conversations.get(conversationId).leafId).not.toBe(store.conversations.get(copy).leafId)
  })
})

describe('tool calls', () => {
  it('are rows below the reply, wait across a restart, are sent back with their results, and are continued once [CHAT-04]', async () => {
    const folder = freshFolder()
    const before = studio({}, folder)
    const { conversationId, replyId } = await before.ask()
    await before.answer(content('Let me see.'), call(0), call(1, '{"a":1}'), 'end')
    const [one, two] = before.toolCalls.openCalls(conversationId)
    expect([one?.parentId, two?.parentId]).toEqual([replyId, one?.id])
    expect(before.feature.runs.view.conversation(conversationId)).toMatchObject({ waiting: true, messages: 4 })
    if (!one || !two) throw new Error('There are two calls.')
    before.toolCalls.setRun(one.id, { ...one.run, state: 'running', startedAt: new Date().toISOString() }, '')
    before.store.close()
    closers.length = 0

    const { store, toolCalls, service, feature } = studio({}, folder)
    recoverReplies(store)
    expect(toolCalls.toolMessage(one.id)).toMatchObject({ status: 'failed', run: { state: 'failed' } })
    expect(toolCalls.toolMessage(one.id).text).toContain('tool may have completed')
    expect(toolCalls.toolMessage(two.id).run.state).toBe('awaiting')
    await expect(toolCalls.askOn(one.id)).rejects.toMatchObject({ kind: 'busy' })
    toolCalls.setRun(two.id, { ...two.run, state: 'done' }, 'Noon.')
    expect(feature.runs.view.conversation(conversationId)?.waiting).toBe(false)
    expect(toolCalls.rowsBeside(two.id).map(({ id }) => id)).toEqual([one.id, two.id])
    expect(toolCalls.rounds(two.id)).toBe(1)
    const asked = await toolCalls.askOn(one.id)
    await settled()
    expect(store.messages.get(asked.replyId).parentId).toBe(two.id)
    expect(service.last.request.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'Let me see.',
        tool_calls: [
          { id: 'call-0', type: 'function', function: { name: 'clock', arguments: '{}' } },
          { id: 'call-1', type: 'function', function: { name: 'clock', arguments: '{"a":1}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call-0', content: expect.stringContaining('may have') },
      { role: 'tool', tool_call_id: 'call-1', content: 'Noon.' },
    ])
    await expect(toolCalls.askOn(two.id)).rejects.toMatchObject({ kind: 'busy' })
    service.last.say(call())
    service.last.say('end')
    await settled()
    expect(await toolCalls.askOn(two.id)).toEqual(asked)
    expect(service.asked).toHaveLength(1)
    expect(toolCalls.rounds(store.conversations.get(conversationId).leafId ?? '')).toBe(2)
  })

  it('of a stopped or cut reply are never run', async () => {
    const { feature, toolCalls, ask, answer } = studio()
    const { replyId } = await ask()
    await answer(call())
    stop(feature, { replyId })
    await ask()
    await answer(call(), new StudioError('connection_lost', 'Lost.'))
    expect(toolCalls.openCalls()).toEqual([])
  })

  it('that still wait when the person continues are denied', async () => {
    const { feature, service, toolCalls, ask, answer } = studio()
    const { conversationId } = await ask()
    await answer(call(), 'end')
    const [row] = toolCalls.openCalls()
    await ask({ conversationId, text: 'Leave it.' })
    expect(toolCalls.toolMessage(row?.id ?? '').run.state).toBe('denied')
    expect(service.last.request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
    expect(feature.runs.view.conversation(conversationId)?.waiting).toBe(false)
  })

  it('block the path while one runs; a request on another branch omits it', async () => {
    const { service, toolCalls, ask, answer } = studio()
    const { conversationId, turnId, replyId } = await ask()
    await answer(content('Wait.'), call(), 'end')
    const [row] = toolCalls.openCalls()
    if (!row) throw new Error('There is a call.')
    toolCalls.setRun(row.id, { ...row.run, state: 'running' }, '')
    await expect(ask({ conversationId })).rejects.toMatchObject({ kind: 'busy' })
    toolCalls.setRun(row.id, { ...row.run, state: 'awaiting' }, '')
    await ask({ conversationId, edits: turnId, text: 'Anew' })
    expect(service.last.request.messages).toEqual([{ role: 'user', content: 'Anew' }])
    expect(toolCalls.toolMessage(row.id).run.state).toBe('awaiting')
    expect(replyId).toBe(row.parentId)
  })
})

describe('a finished reply', () => {
  it('has its row in the request log, its cost and its parameters, also after it was stopped', async () => {
    const { store, feature, ask, answer } = studio({
      costOf: (row) => ({ cost: `0.0${row}`, costIs: 'estimated' }),
    })
    const first = await ask(withParams({ temperature: 1 }))
    await answer(content('a'), 'end')
    const facts = { requestRow: 1, cost: '0.01', costIs: 'estimated', params: { temperature: 1 }, jsonFaults: null }
    expect(store.messages.get(first.replyId)).toMatchObject(facts)
    const second = await ask()
    await answer(content('a'))
    stop(feature, { replyId: second.replyId })
    await settled()
    expect(store.messages.get(second.replyId)).toMatchObject({ status: 'stopped', requestRow: 2, cost: '0.02' })
  })

  it.each([
    ['{"a":1}', { type: 'json_object' }, []],
    ['[1]', { type: 'json_object' }, [expect.stringContaining('not an object')]],
    ['so', { type: 'json_object' }, [expect.stringContaining('not JSON')]],
    ['so', { type: 'text' }, null],
    ['{"a":1}', schemaOf('{"required":["a"]}'), []],
    ['{"b":1}', schemaOf('{"required":["a"]}'), [expect.stringContaining('required')]],
    ['{}', schemaOf('[]'), [expect.stringContaining('cannot be used')]],
  ] as const)('lists the faults of %s, requested as %j', async (text, responseFormat, faults) => {
    const { store, ask, answer } = studio({ jsonFaults })
    const { replyId } = await ask(withParams({ responseFormat }))
    await answer(content(text), 'end')
    expect(store.messages.get(replyId)).toMatchObject({ status: 'complete' })
    await expect.poll(() => store.messages.get(replyId).jsonFaults).toEqual(faults)
  })

  it('shows during a retry when it is due, and that the service may have done work', async () => {
    const { feature, service, ask } = studio()
    const { conversationId, replyId } = await ask()
    const page = new Page()
    const watcher = new ConversationWatcher(feature.runs.view, conversationId)
    watcher.subscribe(() => undefined)
    const read = () => {
      const event = watcher.take()
      if (event !== null && event !== 'end') page.apply(event)
    }
    read()
    const problem = { kind: 'bad_gateway', message: 'Bad gateway.', workPossible: true } as const
    service.last.options.onWait?.({ for: 'retry', attempt: 2, delayMs: 500, problem })
    read()
    expect(page.messages.at(-1)).toMatchObject({ id: replyId, wait: { for: 'retry', attempt: 2, problem } })
  })

  it('is complete at once if the validation of its format takes too long, which is shown when it was stopped', async () => {
    const { feature, store, ask, answer } = studio({ jsonFaults })
    const { conversationId, replyId } = await ask(withParams({ responseFormat: schemaOf('{"pattern":"^(a+)+$"}') }))
    const page = new Page()
    const watcher = new ConversationWatcher(feature.runs.view, conversationId)
    watcher.subscribe(() => undefined)
    await answer(content(JSON.stringify(`${'a'.repeat(60)}!`)), 'end')
    expect(store.messages.get(replyId)).toMatchObject({ status: 'complete', jsonFaults: null })
    const faults = [expect.stringContaining('took longer than 2000 ms')]
    await expect.poll(() => store.messages.get(replyId).jsonFaults).toEqual(faults)
    const event = watcher.take()
    if (event !== null && event !== 'end') page.apply(event)
    expect(page.messages.at(-1)).toMatchObject({ id: replyId, status: 'complete', jsonFaults: faults })
  })

  it('is checked before the feature has shut down', async () => {
    const check = Promise.withResolvers<string[]>()
    const { feature, store, ask, answer } = studio({ jsonFaults: () => check.promise })
    const { replyId } = await ask(withParams({ responseFormat: { type: 'json_object' } }))
    await answer(content('[]'), 'end')
    const ended = feature.runs.shutDown()
    check.resolve(['It is JSON, but not an object.'])
    await ended
    expect(store.messages.get(replyId)).toMatchObject({ jsonFaults: ['It is JSON, but not an object.'] })
  })
})

function schemaOf(schema: string) {
  return { type: 'json_schema' as const, name: 'n', strict: true, schema }
}

describe('a conversation', () => {
  it('gets its title once from the first question, or from the first reply if the question has no words', async () => {
    const { store, feature, ask, answer } = studio()
    const first = await ask({ text: '# How **tall**  is `it`?' })
    expect(store.conversations.get(first.conversationId).title).toBe('How tall is it?')
    await answer(content('Very.'), 'end')
    const second = await ask({ text: ' ' })
    await answer(content('\n## A **cat** on a mat\nIt sleeps.'), 'end')
    expect(store.conversations.get(second.conversationId).title).toBe('A cat on a mat')
    const third = await ask({ text: '' })
    update(feature, { conversationId: third.conversationId, title: 'Mine' })
    await answer(content('Other words'), 'end')
    expect(store.conversations.get(third.conversationId).title).toBe('Mine')
  })

  it('can be pinned, archived and moved to an existing folder', async () => {
    const { store, feature, ask } = studio()
    const { conversationId } = await ask()
    update(feature, { conversationId, pinned: true, archived: true })
    expect(store.conversations.get(conversationId)).toMatchObject({ pinned: true, archived: true })
    const folder = () => update(feature, { conversationId, folderId: randomUUID(), pinned: false })
    expect(folder).toThrow(expect.objectContaining({ kind: 'no_such_item' }))
    expect(store.conversations.get(conversationId)).toMatchObject({ pinned: true, folderId: null })
  })

  it('of 1,000 messages is sent with its newest 80, then the others in batches; a change of branch sends only the difference', async () => {
    const { store, feature, ask, answer } = studio()
    const { conversationId, replyId } = await ask()
    await answer(content('one'), 'end')
    let parentId = replyId
    store.transaction(() => {
      for (let n = 2; n < 1000; n += 1) {
        const id = randomUUID()
        const row = { id, conversationId, parentId, role: 'user', text: `${n}`, status: 'complete' } as const
        store.messages.insert({ ...row, model: null, createdAt: new Date().toISOString() })
        parentId = id
      }
      store.conversations.setLeaf(conversationId, parentId)
    })
    const page = new Page()
    const watcher = new ConversationWatcher(feature.runs.view, conversationId)
    watcher.subscribe(() => undefined)
    const sizes: number[] = []
    for (let event = watcher.take(); event !== null && event !== 'end'; event = watcher.take()) {
      page.apply(event)
      sizes.push(page.messages.length)
    }
    expect(sizes).toEqual([80, 580, 1000])
    expect(page.messages.map(({ id }) => id)).toEqual(store.messages.pathIds(parentId))
    const edits = page.messages[998]?.id
    await ask({ conversationId, edits })
    expect(watcher.take()).toMatchObject({ type: 'path', unchanged: 998, messages: { length: 2 } })
  })

  it('that is removed and restored before the window reads is sent again as a whole', async () => {
    const { feature, ask } = studio()
    const { conversationId } = await ask()
    const watcher = new ConversationWatcher(feature.runs.view, conversationId)
    watcher.subscribe(() => undefined)
    const page = new Page()
    const read = () => {
      for (let event = watcher.take(); event !== null && event !== 'end'; event = watcher.take()) page.apply(event)
    }
    read()
    remove(feature, { conversationId })
    restore(feature, { removedId: conversationId })
    read()
    expect(page.removed).toBe(false)
    expect(page.conversation).toEqual(feature.runs.view.conversation(conversationId))
    remove(feature, { conversationId })
    read()
    expect([page.removed, watcher.take()]).toEqual([true, 'end'])
  })
})
