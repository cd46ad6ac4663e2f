import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { readLogin } from './api/login.ts';
import { App } from './app.tsx';
import { goLive } from './state/live.ts';
import { countQuestions } from './state/questions.ts';
import { beginAsWhoIsThere, mustSignIn } from './state/session.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/chat.css';
import './styles/approvals.css';
import './styles/page.css';
import './styles/questions.css';

readLogin(document);
beginAsWhoIsThere();
if (!mustSignIn()) goLive();
countQuestions();
const root = document.getElementById('root');
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
