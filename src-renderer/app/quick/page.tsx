import '../noEval.ts'
import '../styles.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { connect } from '../../api/connect.ts'
import { subscribe } from '../../api/watch.ts'
import { startQuickPrompt } from '../../features/quick/actions.ts'
import { QuickPrompt } from '../../features/quick/QuickPrompt.tsx'
import { followLanguage, startWords } from '../../i18n/index.ts'
import { desktopStore } from '../../shared/desktop.ts'
import { StudioContext } from '../../shared/studioContext.ts'
import { TooltipProvider } from '../../shared/ui/Tooltip.tsx'
import { appStore, withApp, withLink } from '../../stores/app.ts'
import { questionsStore } from '../../stores/questions.ts'
import { followAppearance } from '../appearance.ts'

// The page of the quick prompt. The desktop host shows it in a small window, the web host under the path of this file.

const root = document.getElementById('root')
if (!root) throw new Error('The page has no #root.')
const { client, link, desktop } = connect()
desktopStore.setState({ client: desktop })
followAppearance()
await startWords()
followLanguage(reportError)
const showLink = (): void => appStore.setState(withLink(appStore.getState(), link.get()))
link.subscribe(showLink)
showLink()
subscribe(
  client,
  (signal) => client.app.watch(undefined, { signal }),
  (app) => appStore.setState(withApp(appStore.getState(), app)),
)
subscribe(
  client,
  (signal) => client.apps.watchQuestions(undefined, { signal }),
  (questions) => questionsStore.setState({ questions }),
)
startQuickPrompt(client, desktop)
createRoot(root).render(
  <StrictMode>
    <StudioContext value={client}>
      <TooltipProvider>
        <QuickPrompt />
      </TooltipProvider>
    </StudioContext>
  </StrictMode>,
)
