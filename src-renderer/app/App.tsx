import { Direction } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { ChatSubscriptions } from '../features/chat/index.tsx'
import { LibrarySubscriptions } from '../features/chat/list/subscriptions.tsx'
import { ImagesSubscriptions } from '../features/images/index.tsx'
import { KeysSubscriptions } from '../features/keys/index.tsx'
import { SpeechSubscriptions } from '../features/speech/index.tsx'
import { TranscriptionSubscriptions } from '../features/transcription/index.tsx'
import { UsageSubscriptions } from '../features/usage/index.tsx'
import { isRightToLeft } from '../i18n/index.ts'
import { CommandLayers } from '../shared/commands/Palette.tsx'
import { HelpDialog } from '../shared/help/HelpDialog.tsx'
import { OfflineSubscriptions } from '../shared/offline/OfflineSubscriptions.tsx'
import { TextActions } from '../shared/textActions/TextActions.tsx'
import { Toasts } from '../shared/ui/Toast.tsx'
import { TooltipProvider } from '../shared/ui/Tooltip.tsx'
import { appStore, useApp, withoutToast } from '../stores/app.ts'
import { DesktopSubscriptions } from './DesktopSubscriptions.tsx'
import { Locked } from './Locked.tsx'
import { Frame } from './shell/Frame.tsx'

export function App() {
  const toasts = useApp((store) => store.toasts)
  // The page stays empty for the milliseconds until the first event, because the frame has no data before it.
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
                <ChatSubscriptions />
                <LibrarySubscriptions />
                <TranscriptionSubscriptions />
                <SpeechSubscriptions />
                <ImagesSubscriptions />
                <UsageSubscriptions />
                <KeysSubscriptions />
                <OfflineSubscriptions />
                <DesktopSubscriptions />
                <Frame />
                <TextActions />
                <CommandLayers />
                <HelpDialog />
              </>
            )
          )}
        </Toasts>
      </TooltipProvider>
    </Direction.Provider>
  )
}
