import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { i18n } from '../../i18n/index.ts'
import { waveCommands } from '../../shared/audio/waveCommands.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { navigate } from '../../shared/navigation.ts'
import { routeStore } from '../../stores/route.ts'
import { shownSpeeches, useSpeech } from '../../stores/speech.ts'
import {
  cancel,
  copyText,
  openBeside,
  removeSpeech,
  resume,
  reveal,
  saveSpeech,
  sendToTranscribe,
  setFavourite,
  speakDraft,
  speechClient,
  takeText,
} from './actions.ts'
import { canResume } from './labels.ts'
import { soundOnStage, swapVoices, usePlayback } from './playback.ts'
import { playSample } from './preview.ts'

const here = (): boolean => routeStore.getState().route.page === 'speech'
const opened = (): SpeechDetail | null => (here() ? (useSpeech.getState().open?.detail ?? null) : null)

/** A command on the open speech. */
function about(
  id: string,
  title: string,
  fits: (speech: SpeechDetail) => boolean,
  run: (speech: SpeechDetail) => unknown,
  keys?: string,
): Command {
  return {
    id,
    title,
    group: 'speech',
    page: 'speech',
    when: () => {
      const speech = opened()
      return speech !== null && fits(speech)
    },
    run: () => {
      const speech = opened()
      if (speech) void run(speech)
    },
    ...(keys === undefined ? {} : { keys }),
  }
}

const isKept = ({ mediaId }: SpeechDetail): boolean => mediaId !== null
const isMaking = ({ state }: SpeechDetail): boolean => state === 'making'
const always = (): boolean => true

const listed = (): boolean => shownSpeeches(useSpeech.getState()).speeches.length > 0

function commands(): Command[] {
  const t = i18n.getFixedT(null, 'speech')
  const onPage = { group: 'speech', page: 'speech' } as const
  return [
    { id: 'speech.new', title: t('cmdNew'), group: 'speech', run: () => navigate({ page: 'speech', id: null }) },
    {
      id: 'speech.speak',
      title: t('cmdSpeak'),
      keys: 'Mod+Enter',
      ...onPage,
      when: () => useSpeech.getState().open === null && useSpeech.getState().draft.text.trim() !== '',
      run: () => void speakDraft(),
    },
    {
      id: 'speech.hear',
      title: t('cmdHear'),
      ...onPage,
      when: () => useSpeech.getState().open === null,
      run() {
        const client = speechClient()
        if (client) void playSample(client, useSpeech.getState().draft.voice ?? 'alloy')
      },
    },
    {
      id: 'speech.search',
      title: t('cmdSearch'),
      keys: 'Mod+F',
      ...onPage,
      run: () => document.querySelector<HTMLInputElement>('[data-speech-search]')?.focus(),
    },
    {
      id: 'speech.previous',
      title: t('cmdPrevious'),
      keys: 'Alt+ArrowUp',
      ...onPage,
      when: listed,
      run: () => openBeside(-1),
    },
    {
      id: 'speech.next',
      title: t('cmdNext'),
      keys: 'Alt+ArrowDown',
      ...onPage,
      when: listed,
      run: () => openBeside(1),
    },
    ...waveCommands('speech', soundOnStage),
    {
      id: 'speech.swap',
      title: t('swap'),
      keys: 'Mod+Alt+X',
      ...onPage,
      when: () => usePlayback.getState().compared !== null,
      run: () => swapVoices(usePlayback.getState().lastPlayed),
    },
    about('speech.cancel', t('cmdCancel'), isMaking, ({ id }) => cancel(id), 'Escape'),
    about('speech.resume', t('cmdResume'), canResume, ({ id }) => resume(id), 'Mod+Shift+Enter'),
    about('speech.save', t('cmdSave'), isKept, ({ id }) => saveSpeech(id, 'made'), 'Mod+S'),
    about('speech.reveal', t('cmdReveal'), isKept, reveal),
    about('speech.copy', t('cmdCopy'), always, ({ id }) => copyText(id), 'Mod+Shift+C'),
    about('speech.reuse', t('cmdReuse'), always, ({ id }) => takeText(id)),
    about('speech.favourite', t('cmdFavourite'), always, setFavourite),
    about('speech.transcribe', t('cmdTranscribe'), isKept, ({ id }) => sendToTranscribe(id)),
    about('speech.remove', t('cmdRemove'), always, ({ id }) => removeSpeech(id)),
  ]
}

/** Registers the page's commands, and registers them again when the language changes. Returns the function that removes them. */
export const offerSpeechCommands = (): (() => void) => offerTranslatedCommands(commands)
