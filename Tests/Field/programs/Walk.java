import java.util.LinkedHashMap;
import java.util.Map;

/** The requests that each program of Java sends: it lists the rooms, books a spot in two of them, and looks after each booking. */
final class Walk {
    interface Sender {
        /** Sends one request, and returns the response's content. Throws an exception for each failure that its library tells. */
        byte[] send(String method, String url, String content, Map<String, String> fields) throws Exception;
    }

    private static final String[][] STEPS = {
        {"list", "GET", "/rooms.json", null, null},
        {"write", "POST", "/book", "{\"name\":\"Ljerka\"}", null},
        {"look", "GET", "/rooms.json", null, null},
        {"write with key", "POST", "/book", "{\"name\":\"Mina\"}", "a-booking"},
        {"look again", "GET", "/rooms.json", null, null},
    };

    /** A program that met an error tells it, waits longer than any Retry-After of the ways, goes on, and ends with 1. */
    static void walk(Sender sender) {
        int code = 0;
        for (String[] step : STEPS) {
            Map<String, String> fields = new LinkedHashMap<>();
            if (step[3] != null) fields.put("Content-Type", "application/json");
            if (step[4] != null) fields.put("Idempotency-Key", step[4]);
            try {
                byte[] content = sender.send(step[1], System.getenv("UNDERSTUDY_URL") + step[2], step[3], fields);
                System.out.println(step[0] + "\tok\t" + content.length + " bytes");
            } catch (Exception error) {
                System.out.println(step[0] + "\terror\t" + error.toString().replaceAll("\\s+", " "));
                code = 1;
                pause();
            }
        }
        System.exit(code);
    }

    private static void pause() {
        try {
            Thread.sleep(1200);
        } catch (InterruptedException error) {
            Thread.currentThread().interrupt();
        }
    }

    static void requireSuccess(int status) {
        if (status >= 400) throw new IllegalStateException("status " + status);
    }
}
