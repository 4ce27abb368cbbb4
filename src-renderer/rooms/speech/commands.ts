import type { SpeechDetail } from '../../../src-preload/contract/speech.ts'
import { type Command, offerInWords } from '../../commands/registry.ts'
import { i18n } from '../../i18n/index.ts'
import { navigate } from '../../navigation.ts'
import { routeStore } from '../../stores/route.ts'
import { useSpeech } from '../../stores/speech.ts'
import { cancel, removeSpeech, resume, saveSpeech, sendToTranscribe, setFavourite, speakDraft } from './actions.ts'
import { canResume } from './words.ts'

const here = (): boolean => routeStore.getState().route.room === 'speech'
const opened = (): SpeechDetail | null => (here() ? (useSpeech.getState().open?.detail ?? null) : null)

/** A command about the speech on the stage. */
function about(
  id: string,
  title: string,
  fits: (speech: SpeechDetail) => boolean,
  run: (speech: SpeechDetail) => unknown,
  keys?: string,
): Command {
  return {
    ...{ id, title, group: 'speech', room: 'speech' },
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

function commands(): Command[] {
  const t = i18n.getFixedT(null, 'speech')
  return [
    { id: 'speech.new', title: t('cmdNew'), group: 'go', run: () => navigate({ room: 'speech', id: null }) },
    {
      ...{ id: 'speech.speak', title: t('cmdSpeak'), group: 'speech', room: 'speech' },
      when: () => useSpeech.getState().open === null && useSpeech.getState().draft.text.trim() !== '',
      run: () => void speakDraft(),
    },
    {
      ...{ id: 'speech.search', title: t('cmdSearch'), group: 'speech', room: 'speech', keys: 'Mod+F' },
      run: () => document.querySelector<HTMLInputElement>('[data-speech-search]')?.focus(),
    },
    about('speech.cancel', t('cmdCancel'), isMaking, ({ id }) => cancel(id), 'Escape'),
    about('speech.resume', t('cmdResume'), canResume, ({ id }) => resume(id)),
    about('speech.save', t('cmdSave'), isKept, ({ id }) => saveSpeech(id, 'made'), 'Mod+S'),
    about('speech.favourite', t('cmdFavourite'), always, setFavourite),
    about('speech.transcribe', t('cmdTranscribe'), isKept, ({ id }) => sendToTranscribe(id)),
    about('speech.remove', t('cmdRemove'), always, ({ id }) => removeSpeech(id)),
  ]
}

/** The room's commands, for the palette and the keys. The answer takes them back. */
export const offerSpeechCommands = (): (() => void) => offerInWords(commands)
