<?php
// Makes the calls that petstore-sim asks for with one client: php run.php NAME byDefault|setRight
[, $name, $setting] = $argv;
require __DIR__ . '/patiently.php';
['byDefault' => $byDefault, 'setRight' => $setRight] = require __DIR__ . "/$name.php";
$headers = ['Authorization' => 'Bearer ' . getenv('PETSTORE_API_KEY')];
for ($number = 1; $number <= (int) getenv('PETSTORE_CALLS'); $number++) {
    $isPost = getenv('PETSTORE_OPERATION') === 'createPet';
    $options = ['headers' => $headers] + ($isPost ? ['json' => ['name' => "Newcomer $number", 'categoryId' => 1]] : []);
    $send = $setting === 'byDefault' ? $byDefault : $setRight;
    $status = $send($isPost ? 'POST' : 'GET', getenv('PETSTORE_BASE_URL') . '/pets', $options);
    if ($status >= 400) {
        fwrite(STDERR, "the service answered $status\n");
        exit(1);
    }
}
