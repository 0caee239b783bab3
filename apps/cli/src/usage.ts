/** What `dt --help` prints. */
export const usage = `dt: a coding agent in your terminal

  dt                        open the screen on the current directory
  dt -p PROMPT              run one prompt without a screen and leave
  command | dt -p PROMPT    the same, with what is piped in behind the prompt
  command | dt              run what is piped in as one prompt
  dt attach URL [TASK]      open the screen on someone else's session: another dt, or dt-server

  -p, --prompt TEXT         run this prompt
      --output text|json    without a screen: what the agent says, or one event a line
      --model NAME          gemini-2.5-pro, openai:NAME, offline; else DT_MODEL, else what a key is set for
      --mode MODE           default, auto-edit, yolo, plan
      --yolo                run tools without asking: the same as --mode yolo
      --trust               use this directory's own settings, commands and extensions, now and later
  -r, --resume [ID]         go on with a session: the last one of this directory, or the one named
      --list-sessions       show the sessions that can be resumed
      --delete-session ID   forget a session and all that was kept of it
      --a2a-port PORT       let others join this session on a port (0 picks one)
      --host HOST           where that port is bound; else DT_HOST, else 127.0.0.1
      --record FILE         write every event to a file, one JSON a line
      --debug               write a log; its path is shown
      --no-color            no colours (also NO_COLOR)
  -h, --help                show this
      --version             show the version

Keys: Enter sends, Esc or Ctrl-C cancels the turn, Ctrl-C then clears the prompt, then leaves (twice),
Shift-Tab changes the mode, Ctrl-O shows the whole history, / lists commands, @ lists files.

Exit codes: 0 done, 1 the prompt failed or needed an answer that nobody gave, 2 the command line or
the set-up is wrong, 130 left with Ctrl-C, 129 the terminal was closed, 143 ended by SIGTERM.`;
