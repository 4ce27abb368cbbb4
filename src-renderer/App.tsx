import { ChatLive } from './rooms/chat/index.tsx'
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
  return (
    <TooltipProvider>
      <Toasts items={toasts} onGone={(id) => appStore.setState(withoutToast(appStore.getState(), id))}>
        {locked ? (
          <Locked />
        ) : (
          known && (
            <>
              <ChatLive />
              <Frame />
            </>
          )
        )}
      </Toasts>
    </TooltipProvider>
  )
}
