import { i18n } from '../../../i18n/index.ts'
import { offerCommands } from '../../../shared/commands/registry.ts'
import { useChat } from '../../../stores/chat.ts'
import {
  pauseHandsFree,
  resumeHandsFree,
  startHandsFree,
  stopHandsFree,
  useHandsFree,
} from '../handsFree/conversation.ts'
import { cancelDictation, finishDictation, startDictation, useDictation } from '../voice/dictation.ts'
import { pauseReading, resumeReading, speak, stopReading, usePlayer } from '../voice/player.ts'

const reads = (): boolean => usePlayer.getState().now !== null
const dictation = () => useDictation.getState().now.state
const talks = (): boolean => useHandsFree.getState().state.on
const lastReply = () =>
  useChat.getState().open?.messages.findLast(({ role, text }) => role === 'assistant' && text !== '') ?? null

/** Commands for the composer's buttons and the player. Returns the function that removes them. */
export function offerComposerCommands(): () => void {
  const t = i18n.getFixedT(null, 'composer')
  return offerCommands([
    {
      id: 'chat.attach',
      title: t('attach'),
      group: 'chat',
      run: () => document.querySelector<HTMLInputElement>('.chat-composer input[type="file"]')?.click(),
    },
    {
      id: 'chat.dictate',
      title: t('dictate'),
      group: 'chat',
      keys: 'Mod+Shift+D',
      when: () => ['off', 'no_microphone', 'recording'].includes(dictation()) && !talks(),
      run: () => void (dictation() === 'recording' ? finishDictation() : startDictation()),
    },
    {
      id: 'chat.cancelDictation',
      title: t('cancelDictation'),
      group: 'chat',
      when: () => dictation() !== 'off',
      run: cancelDictation,
    },
    {
      id: 'chat.handsFree',
      title: i18n.t('handsFree:start'),
      group: 'chat',
      keys: 'Mod+Shift+H',
      when: () => dictation() === 'off' && !talks(),
      run: startHandsFree,
    },
    {
      id: 'chat.pauseHandsFree',
      title: i18n.t('handsFree:pauseOrResume'),
      group: 'chat',
      when: talks,
      run: () => (useHandsFree.getState().state.paused ? resumeHandsFree() : pauseHandsFree()),
    },
    { id: 'chat.endHandsFree', title: i18n.t('handsFree:end'), group: 'chat', when: talks, run: stopHandsFree },
    {
      id: 'chat.readLast',
      title: t('readLast'),
      group: 'chat',
      when: () => lastReply() !== null,
      run: () => {
        const reply = lastReply()
        if (reply) void speak(reply.id, reply.text)
      },
    },
    {
      id: 'chat.pauseReading',
      title: t('pauseReading'),
      group: 'chat',
      when: reads,
      run: () => (usePlayer.getState().now?.state === 'paused' ? resumeReading() : pauseReading()),
    },
    { id: 'chat.stopReading', title: t('stopReading'), group: 'chat', when: reads, run: stopReading },
  ])
}
