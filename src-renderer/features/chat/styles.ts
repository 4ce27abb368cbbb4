// The page's styles, shared ones first: of equal specificity, later ones win.
import './chat.css'
import './stage.css'
import './message.css'
import './columns.css'
import './preview/preview.css'
import './find/find.css'
import './inspector.css'
