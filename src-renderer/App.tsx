import { Direction } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { CommandLayers } from './commands/Layers.tsx'
import { isRightToLeft } from './i18n/index.ts'
import { OfflineLive } from './offline/OfflineLive.tsx'
import { ChatLive } from './rooms/chat/index.tsx'
import { ListLive } from './rooms/chat/list/live.tsx'
import { ImagesLive } from './rooms/images/index.tsx'
import { KeysLive } from './rooms/keys/index.tsx'
import { SpeechLive } from './rooms/speech/index.tsx'
import { TranscribeLive } from './rooms/transcribe/index.tsx'
import { UsageLive } from './rooms/usage/index.tsx'
import { Frame } from './shell/Frame.tsx'
import { Locked } from './shell/Locked.tsx'
import { appStore, useApp, withoutToast } from './stores/app.ts'
import { Toasts } from './ui/Toast.tsx'
import { TooltipProvider } from './ui/Tooltip.tsx'

export function App() {
  const toasts = useApp((store) => store.toasts)
  // Until the first answer the frame would show guesses: an empty page of the right colour for those few milliseconds.
  const known = useApp(({ app }) => app !== null)
  const locked = useApp(({ link }) => link === 'unauthorized')
  const { i18n } = useTranslation()
  return (
    <Direction.Provider dir={isRightToLeft(i18n.language) ? 'rtl' : 'ltr'}>
      <TooltipProvider>
        <Toasts items={toasts} onGone={(id) => appStore.setState(withoutToast(appStore.getState(), id))}>
          {locked ? (
            <Locked />
          ) : (
            known && (
              <>
                <ChatLive />
                <ListLive />
                <TranscribeLive />
                <SpeechLive />
                <ImagesLive />
                <UsageLive />
                <KeysLive />
                <OfflineLive />
                <Frame />
                <CommandLayers />
              </>
            )
          )}
        </Toasts>
      </TooltipProvider>
    </Direction.Provider>
  )
}
