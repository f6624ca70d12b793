<?php
// Makes the calls that petstore-sim asks for with one client: php run.php NAME byDefault|setRight
[, $name, $setting] = $argv;
require __DIR__ . '/patiently.php';
['byDefault' => $byDefault, 'setRight' => $setRight] = require __DIR__ . "/$name.php";
$send = $setting === 'byDefault' ? $byDefault : $setRight;
$headers = ['Authorization' => 'Bearer ' . getenv('PETSTORE_API_KEY')];
$isPost = getenv('PETSTORE_OPERATION') === 'createPet';

// Each caller is a process, with every n-th call.
$parallel = (int) getenv('PETSTORE_PARALLEL');
$callers = [];
for ($caller = 1; $caller <= $parallel; $caller++) {
    $callers[] = $pid = pcntl_fork();
    if ($pid > 0) {
        continue;
    }
    for ($number = $caller; $number <= (int) getenv('PETSTORE_CALLS'); $number += $parallel) {
        $options = ['headers' => $headers] + ($isPost ? ['json' => ['name' => "Newcomer $number", 'categoryId' => 1]] : []);
        $status = $send($isPost ? 'POST' : 'GET', getenv('PETSTORE_BASE_URL') . '/pets', $options);
        if ($status >= 400) {
            fwrite(STDERR, "the service answered $status\n");
            exit(1);
        }
    }
    exit(0);
}
$failed = array_filter($callers, function (int $pid): bool {
    pcntl_waitpid($pid, $status);
    return $status !== 0;
});
exit($failed ? 1 : 0);
