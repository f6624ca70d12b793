/** What `petstore-sim --help` prints. */
export const help = `petstore-sim: a stateful stand-in for the Petstore service, with plans, rate limits, bans and a clock you control

Usage
  petstore-sim [serve] [options]     start the HTTP server
  petstore-sim demo                  watch a wrong and a right client run into a limit, for twenty seconds, on the page
  petstore-sim init                  write a scenario to start from, and print the lines for the test runner of the project
  petstore-sim scenarios             list the shipped scenarios
  petstore-sim scenarios NAME        print one, to change: petstore-sim scenarios minute-wall > my.yaml
  petstore-sim check FILE...         look for mistakes in scenario files; exit code 2 when there are any
  petstore-sim exec [options] -- COMMAND...
                                     run a client's command against a simulator of its own, and judge the client
  petstore-sim matrix [--only IDS] -- COMMAND...
                                     find the undocumented choices of the service that would break the client
  petstore-sim gauntlet [SCENARIO...] -- COMMAND...
                                     run the client against these scenarios, or every shipped one that expects
                                     something of it
  petstore-sim judge [options] FILE...
                                     judge a client by recorded traffic: HAR, JSON Lines of a journal, --trace FILE
  petstore-sim calibrate --from FILE... | --target URL --key-env NAME
                                     learn the undocumented choices of the real service, and write them as a scenario
  petstore-sim compare --target URL --key-env NAME [SCENARIO]
                                     tell whether the real service still answers as the scenario; 0 same, 1 differs,
                                     2 could not check
  petstore-sim replay FILE           do a recorded run again, and compare every answer; exit code 1 when one differs,
                                     2 when the recording cannot be read to its end
  petstore-sim scenario --from FILE  make a scenario of recorded traffic: what was in force when it began
  petstore-sim state export [FILE]   write the state of a running server, or with --as scenario a scenario that starts there
  petstore-sim state import FILE     put an exported state back into a running server
  petstore-sim assumptions           print what the simulator does where the interface document leaves a choice

Options of serve
  --port N               port, 0 for a free one (default 4010)
  --host HOST            address to listen on (default: 127.0.0.1 and ::1)
  --scenario NAME|FILE   what to start with: a shipped scenario, or a YAML or JSON file (default: default)
  --set PATH=VALUE       sets one field of the scenario, VALUE as in YAML; may be repeated:
                         --set keys.free-key.usage.minute=60 --set limits=off --set 'pets={generate: {sold: 5}}'
  --seed N               the same as --set seed=N
  --no-limits            the same as --set limits=off
  --watch                loads the scenario file again when it is saved; the pets stay as they are
  --reseed               with --watch: starts with the pets of the file again, too
  --handlers FILE        a module that exports msw handlers of your own, asked before the API
  --data FOLDER|URL      keeps everything in a folder, so that the server can be stopped or killed and goes on; or in a
                         Redis or Valkey, which many servers share: redis://127.0.0.1:6379/0?name=staging
  --record FILE          writes down everything beside the run, for petstore-sim replay
  --data-reset           with --data: begins anew
  --fsync                with --data: an answer goes out only when it would outlive a power loss
  --log FORMAT           pretty, json or silent (default pretty)
  --allowed-host NAME    another host name that clients may use; may be repeated
  --allowed-origin URL   pages of this origin may use the control API, such as http://localhost:5173; may be repeated
  --control-token TOKEN  what control requests must bring; needed on a host that is not loopback
  --open                 opens the page in the browser

Options of exec, matrix and gauntlet (the command finds PETSTORE_BASE_URL, PETSTORE_SIM_URL and
PETSTORE_API_KEY, PETSTORE_OPERATION, PETSTORE_CALLS, PETSTORE_PARALLEL)
  --scenario, --set, --seed, --no-limits   as above (not with gauntlet)
  --record FILE          exec: writes down the run, for petstore-sim replay
  --verdict FILE         exec: writes the verdict as JSON
  --report FILE.html     exec: writes a report with a picture of the run
  --junit FILE.xml       exec: writes the verdict for a CI server
  --fail-on CODES        exec: fails on these findings alone, separated by commas
  --require-conclusive   exec: fails when nothing was put to the test
  --only IDS             matrix: these assumptions, separated by commas
  --api-key NAME         exec, matrix: the API key for the command (default: the one that the scenario names)
  --timeout DURATION     how long one run may take (default 2m; exec: no limit)

Options of judge (and --verdict, --report, --junit, --json, --fail-on, --require-conclusive as of exec)
  --scenario NAME|FILE   what it was recorded with, for what that expects of a client
  --trace FILE           an OpenTelemetry trace, OTLP as JSON, instead of a recording
  --base-url URL         which service of the recording (also of calibrate, scenario)
  --one-key              all requests had the same key, though the recording does not show it
  --ended                the client had ended when the recording did, so that what it had not done it never does

Options of calibrate and compare
  --from FILE            calibrate, scenario: a recording (HAR, or JSON Lines of a journal); may be repeated; sends nothing
  --target URL           asks this service: https://api.example.com/v1
  --key-env NAME         the environment variable that holds the API key
  --budget N             the most requests (default 40; compare: 30)
  --out FILE             the scenario to write (calibrate: default calibrated.yaml, with its log beside it, which the next
                         run goes on from; scenario: default standard output)
  --write                may store pets
  --allow-exhaust        calibrate: may use up a window
  --allow-ban            calibrate: may get the key banned
  --patience DURATION    the longest wait (default 150s)
  --plan                 calibrate: prints what it would ask, with the cost, and asks nothing
  --save FILE            compare: keeps the answers, without secrets
  --with FILE            compare: compares with answers that were kept, and sends nothing
  --junit FILE.xml       compare: writes the result for a CI server

Options of replay (of a file of --record, or the folder of --data)
  --until N|INSTANT      up to this entry of it, or this instant of the machine
  --judge                judges the client as exec did, with --verdict, --report, --junit, --fail-on, --require-conclusive
  --serve                goes on from there, with --port, --host, --log, --allowed-host and --control-token of serve

Options of state
  --url URL              the server (default: http://127.0.0.1:4010)
  --sandbox NAME         one of its sandboxes
  --control-token TOKEN  the token that it was started with
  --as scenario          export: a scenario file that starts exactly there
  --from FILE, --until   export: of a recorded run, at its end or as of replay

  --json                 every command: prints JSON instead of text, with the commands that make sense now in "next"
  --help                 print this
  --version              print the version
`;
