import type { ChatFeature } from '../features/chat/chat.ts'
import { choose } from '../features/chat/chooseReply.ts'
import { continueReply } from '../features/chat/continueReply.ts'
import { duplicate } from '../features/chat/duplicate.ts'
import { remove } from '../features/chat/remove.ts'
import { messagesBelow, removeMessage } from '../features/chat/removeMessage.ts'
import { restore } from '../features/chat/restore.ts'
import { retry } from '../features/chat/retry.ts'
import { send } from '../features/chat/send.ts'
import { stop } from '../features/chat/stop.ts'
import { saveDraft, saveSetup, update } from '../features/chat/updateConversation.ts'
import { watch, watchList } from '../features/chat/watch.ts'
import type { Host } from '../host.ts'
import { guarded } from './errors.ts'
import { done, type Implementer } from './implementer.ts'

/** Procedures about conversations and replies. */
export const chatHandlers = (os: Implementer['chat'], host: Host, chat: ChatFeature) => ({
  watchList: os.watchList.handler(({ signal }) => guarded(host, watchList(chat, signal))),
  watch: os.watch.handler(({ input, signal }) => guarded(host, watch(chat, input, signal))),
  send: os.send.handler(({ input }) => send(chat, input)),
  queue: os.queue.handler(({ input }) => done(chat.queue.add(input))),
  sendQueued: os.sendQueued.handler(({ input }) => done(chat.queue.release(input))),
  removeQueued: os.removeQueued.handler(({ input }) => chat.queue.remove(input)),
  stop: os.stop.handler(({ input }) => stop(chat, input)),
  retry: os.retry.handler(({ input }) => retry(chat, input)),
  continueReply: os.continueReply.handler(({ input }) => continueReply(chat, input)),
  activatePath: os.activatePath.handler(({ input }) => done(choose(chat, input))),
  saveSetup: os.saveSetup.handler(({ input }) => done(saveSetup(chat, input))),
  update: os.update.handler(({ input }) => done(update(chat, input))),
  duplicate: os.duplicate.handler(({ input }) => duplicate(chat, input)),
  saveDraft: os.saveDraft.handler(({ input }) => done(saveDraft(chat, input))),
  remove: os.remove.handler(({ input }) => done(remove(chat, input))),
  restore: os.restore.handler(({ input }) => restore(chat, input)),
  messagesBelow: os.messagesBelow.handler(({ input }) => messagesBelow(chat, input)),
  removeMessage: os.removeMessage.handler(({ input }) => removeMessage(chat, input)),
})
