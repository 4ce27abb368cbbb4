import type { TranscribeText } from '../../i18n/en/transcribe.ts'
import { i18n } from '../../i18n/index.ts'
import { waveCommands } from '../../shared/audio/waveCommands.ts'
import { type Command, offerTranslatedCommands } from '../../shared/commands/registry.ts'
import { navigate } from '../../shared/navigation.ts'
import { routeStore } from '../../stores/route.ts'
import { shownTranscript, useTranscribe } from '../../stores/transcription.ts'
import { followPage, removeRecordings } from './actions.ts'
import { chooseFiles } from './choose.ts'
import { say } from './client.ts'
import { sendToChat } from './handOver.ts'
import { useNaming } from './naming.ts'
import { usePlayback } from './playback.ts'
import { finishRecorder, pauseRecorder, startRecorder, useRecorder } from './record.ts'
import { cancelTranscript, transcribe } from './requests.ts'

const here = (): boolean => routeStore.getState().route.page === 'transcribe'
const openId = (): string | null => (here() ? (useTranscribe.getState().open?.id ?? null) : null)
const shown = () => (here() ? shownTranscript(useTranscribe.getState().open) : null)
const making = () =>
  here() ? useTranscribe.getState().open?.transcripts.find(({ state }) => state === 'making') : null
const recording = (): boolean => useRecorder.getState().now.state === 'recording'

function commands(): Command[] {
  const command = (id: string, title: TranscribeText, rest: Omit<Command, 'id' | 'title' | 'group'>): Command => ({
    id: `transcribe.${id}`,
    title: i18n.t(`transcribe:${title}`),
    group: 'transcribe',
    ...rest,
  })
  const withText = (run: (text: string) => void): Pick<Command, 'page' | 'when' | 'run'> => ({
    page: 'transcribe',
    when: () => (shown()?.text ?? '') !== '',
    run: () => run(shown()?.text ?? ''),
  })
  return [
    command('record', 'commandRecord', {
      keys: 'Mod+Alt+R',
      when: () => !recording(),
      run: () => {
        followPage()
        if (!here()) navigate({ page: 'transcribe', id: null })
        void startRecorder()
      },
    }),
    command('pause', 'commandPause', {
      keys: 'Mod+Alt+P',
      when: recording,
      run: () => {
        const { now } = useRecorder.getState()
        if (now.state === 'recording') pauseRecorder(!now.paused)
      },
    }),
    command('done', 'commandDone', { keys: 'Mod+Alt+D', when: recording, run: () => void finishRecorder() }),
    command('files', 'commandFiles', {
      run: () => {
        navigate({ page: 'transcribe', id: null })
        chooseFiles()
      },
    }),
    command('again', 'commandAgain', {
      page: 'transcribe',
      keys: 'Mod+Shift+Enter',
      when: () => openId() !== null && !making(),
      run: () => {
        const id = openId()
        if (id !== null) void transcribe(id)
      },
    }),
    command('stop', 'commandStop', {
      page: 'transcribe',
      keys: 'Escape',
      when: () => making() !== null && making() !== undefined,
      run: () => {
        const one = making()
        if (one) void cancelTranscript(one.id)
      },
    }),
    command('find', 'commandFind', {
      page: 'transcribe',
      keys: 'Mod+F',
      when: () => shown() !== null,
      run: () => void dispatchEvent(new Event('transcribe-find')),
    }),
    ...waveCommands('transcribe', () => usePlayback.getState().handle),
    command('copy', 'commandCopy', { keys: 'Mod+Shift+C', ...withText((text) => void copy(text)) }),
    command('toChat', 'commandToChat', withText(sendToChat)),
    command('rename', 'commandRename', {
      page: 'transcribe',
      keys: 'F2',
      when: () => openId() !== null,
      run: () => useNaming.setState({ id: openId() }),
    }),
    command('remove', 'commandRemove', {
      page: 'transcribe',
      when: () => openId() !== null,
      run: () => {
        const id = openId()
        if (id !== null) void removeRecordings([id])
      },
    }),
  ]
}

async function copy(text: string): Promise<void> {
  const done = navigator.clipboard.writeText(text)
  await done.then(
    () => say('copied', i18n.t('transcribe:copied')),
    () => say('copied', i18n.t('transcribe:copyFailed')),
  )
}

/** Registers the commands, and registers them again when the language changes. Returns the function that removes them. */
export function offerTranscribeCommands(): () => void {
  return offerTranslatedCommands(commands)
}
